/** A question of a gate, and where its answer is. */
export interface GateQuestion {
  question: string;
  /** A path, or `path:line`. */
  expected: string;
  /** Full path of a project, or `<path>@<branch>`; absent: all of the collection. */
  repository?: string;
}

/** What a rebuilt index of a collection must answer before searches use it: a `search_gates` row. */
export interface SearchGate {
  /** Another one after each change. */
  id: string;
  collectionName: string;
  questions: readonly GateQuestion[];
  /** By how much nDCG@10 may fall, 0 to 1. */
  maxLoss: number;
  updatedBy: string | null;
  updatedAt: Date;
}

/** How a rebuilt index answered the questions: a `search_gate_verdicts` row. */
export interface GateVerdict {
  generationId: string;
  gateId: string;
  isPassed: boolean;
  questions: number;
  /** nDCG@10 of the index that searches use. */
  activeNdcg: number;
  buildingNdcg: number;
  judgedAt: Date;
}

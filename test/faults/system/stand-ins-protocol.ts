import { type AddProjectOptions, type EmbeddingEffect, type Fault, type QdrantFault } from '@devkit';

/** Where the stand-ins of one world listen. */
export interface StandInAddresses {
  gitlabUrl: string;
  gitlabToken: string;
  embeddingUrl: string;
  qdrantUrl: string;
}

/** A write to the vector store, as its server saw it. */
export interface StoreWrite {
  at: Date;
  operation: string;
  repositoryId: string | null;
  /** Of the points of an upsert; null for deletions that name none. */
  fence: number | null;
  points: number;
}

/** What the servers were asked since the last look. */
export interface StandInLog {
  storeWrites: StoreWrite[];
  /** SHA-256 of each text that was embedded, in order. */
  embeddedTexts: string[];
  gitlabRequests: number;
  /** Requests that a fault struck, by server. */
  struck: Record<StandInName, number>;
  /** Requests or answers unlike the vendor's own description, and failures of a stand-in itself: none is expected. */
  violations: string[];
}

export type StandInName = 'gitlab' | 'embedding' | 'qdrant';

/** A point as the store holds it, without its vector. */
export interface HeldPoint {
  id: string;
  repository_id: string;
  path: string;
  blob_sha: string;
  file_version: string;
  chunk_index: number;
  fence: number;
  content_hash: string;
  /** The text's own SHA-256, computed from the text. */
  text_hash: string;
}

/** What the process of the stand-ins does when asked. */
export interface StandInCalls {
  start(): Promise<StandInAddresses>;
  addProject(options: AddProjectOptions): Promise<{ id: number; path: string }>;
  /** Until {@link StandInCalls.clearFaults}, or as often as the fault says. */
  addFault(name: 'gitlab' | 'embedding', fault: Fault<EmbeddingEffect>): Promise<void>;
  addQdrantFault(fault: QdrantFault): Promise<void>;
  /** Takes away all faults but the slowness of {@link StandInCalls.slowDown}. */
  clearFaults(name: StandInName): Promise<void>;
  /** Lets every embedding answer take about this long, from now on. */
  slowDown(milliseconds: number): Promise<void>;
  points(): Promise<HeldPoint[]>;
  drainLog(): Promise<StandInLog>;
  stop(): Promise<void>;
}

export interface StandInRequestMessage {
  number: number;
  name: keyof StandInCalls;
  parameters: unknown[];
}

export type StandInAnswerMessage = { number: number } & ({ result: unknown } | { failure: string });

import { type AddProjectOptions, type EmbeddingEffect, type Fault, type QdrantFault } from '@devkit';

/** Addresses of the stand-ins. */
export interface StandInAddresses {
  gitlabUrl: string;
  gitlabToken: string;
  embeddingUrl: string;
  qdrantUrl: string;
}

/** A write to the vector store, as its server received it. */
export interface StoreWrite {
  at: Date;
  operation: string;
  repositoryId: string | null;
  /** From the points of an upsert; null for deletions without points. */
  fence: number | null;
  points: number;
}

/** What the servers recorded since the last call. */
export interface StandInLog {
  storeWrites: StoreWrite[];
  /** SHA-256 of each text that was embedded, in order. */
  embeddedTexts: string[];
  gitlabRequests: number;
  /** Number of requests that a fault affected, by server. */
  struck: Record<StandInName, number>;
  /** Requests or answers that do not match the vendor's API description, and failures of a stand-in itself. Tests expect none. */
  violations: string[];
}

export type StandInName = 'gitlab' | 'embedding' | 'qdrant';

/** A stored point, without its vector. */
export interface HeldPoint {
  id: string;
  repository_id: string;
  path: string;
  blob_sha: string;
  file_version: string;
  chunk_index: number;
  fence: number;
  content_hash: string;
  /** The SHA-256 of the stored text, computed by the stand-in. */
  text_hash: string;
}

/** The calls that the stand-ins' process answers. */
export interface StandInCalls {
  start(): Promise<StandInAddresses>;
  addProject(options: AddProjectOptions): Promise<{ id: number; path: string }>;
  /** Lasts until {@link StandInCalls.clearFaults}, or for as many requests as the fault says. */
  addFault(name: 'gitlab' | 'embedding', fault: Fault<EmbeddingEffect>): Promise<void>;
  addQdrantFault(fault: QdrantFault): Promise<void>;
  /** Removes all faults except the slowness of {@link StandInCalls.slowDown}. */
  clearFaults(name: StandInName): Promise<void>;
  /** Sets the approximate duration of every embedding answer from now on. */
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

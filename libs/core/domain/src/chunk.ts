import { type Terms } from './terms.js';

export interface Chunk {
  /** Position within the file, from 0. */
  index: number;
  text: string;
  /** 1-based, inclusive. */
  startLine: number;
  endLine: number;
  /** SHA-256 (hex) of the text: equal texts need one embedding. */
  contentHash: string;
}

export interface PreparedChunk extends Chunk {
  /** Those of the lexical lane. */
  terms: Terms;
}

export interface Point {
  /** UUIDv5, computed by `pointId` in indexing. */
  id: string;
  vector: Float32Array;
  /** The terms of the lexical lane; null: it was stored without, or they were not read. */
  terms: Terms | null;
  payload: PointPayload;
}

/** Stored with each vector. The field names are public: Qdrant users filter by them. */
export interface PointPayload {
  repository_id: string;
  project_path: string;
  branch: string;
  path: string;
  /** Parent folders, nearest last, e.g. `['src', 'src/app']`; makes it possible to filter by folder. */
  directories: string[];
  language: string | null;
  chunk_index: number;
  start_line: number;
  end_line: number;
  blob_sha: string;
  /** Equal for all points of a file; see the glossary. */
  file_version: string;
  content_hash: string;
  /** Head commit of the run that stored the point. */
  commit: string;
  fence: number;
  text: string;
}

/** A piece of a file's text. */
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

/** A chunk in the vector store. */
export interface Point {
  /** UUIDv5, see {@link pointId} in indexing. */
  id: string;
  vector: Float32Array;
  payload: PointPayload;
}

/** Stored with each vector; Qdrant users filter by these names. */
export interface PointPayload {
  repository_id: string;
  project_path: string;
  branch: string;
  path: string;
  /** Parent folders, nearest last, e.g. `['src', 'src/app']`; used to filter by folder. */
  directories: string[];
  language: string | null;
  chunk_index: number;
  start_line: number;
  end_line: number;
  blob_sha: string;
  /** Blob SHA and index settings that the file's points were made from; equal for all points of a file. */
  file_version: string;
  content_hash: string;
  /** Head commit of the run that stored the point. */
  commit: string;
  fence: number;
  text: string;
}

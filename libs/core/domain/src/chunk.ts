/** A piece of a file's text. */
export interface Chunk {
  /** Position within the file, from 0. */
  index: number;
  text: string;
  /** 1-based, inclusive. */
  startLine: number;
  endLine: number;
  /** SHA-256 (hex) of the text: equal text needs one embedding, wherever it stands. */
  contentHash: string;
}

/** A chunk in the vector store. */
export interface Point {
  /** UUIDv5, see {@link pointId} in indexing. */
  id: string;
  vector: Float32Array;
  payload: PointPayload;
}

/** Stored beside each vector; names are those that Qdrant users filter on. */
export interface PointPayload {
  repository_id: string;
  project_path: string;
  branch: string;
  path: string;
  /** Ancestor folders, nearest last, e.g. `['src', 'src/app']`: prefix filters on any server version. */
  directories: string[];
  language: string | null;
  chunk_index: number;
  start_line: number;
  end_line: number;
  blob_sha: string;
  /** What the file's points were made from: blob SHA and index settings. All points of a file share it. */
  file_version: string;
  content_hash: string;
  /** Head commit of the run that stored the point. */
  commit: string;
  fence: number;
  text: string;
}

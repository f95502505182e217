import { type Repository, type SearchHit } from '@core/domain';

/** A hit with the repository's current row; its points may still hold an older project path. */
export interface RepositoryHit extends SearchHit {
  /** Best first: of a hybrid search 0 to 1, otherwise that of its lane. */
  score: number;
  /** How well the names that the text defines fit a question, 0 to 1. Absent or null: they were not compared. */
  names?: number | null;
  repository: Repository;
}

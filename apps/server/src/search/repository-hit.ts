import { type Repository, type SearchHit } from '@core/domain';

/** A hit with the repository's current row; its points may still hold an older project path. */
export interface RepositoryHit extends SearchHit {
  /** Best first: of a hybrid search 0 to 1, otherwise that of its lane. */
  score: number;
  repository: Repository;
}

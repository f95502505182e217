import { type Execution } from './execution.js';

/** A push as the code host reports it: only a hint that a branch moved, not what changed. */
export interface Push {
  projectId: number;
  /** Current full path; null when the host does not send it. */
  projectPath: string | null;
  /** URLs of the host or the project in the push, e.g. `https://gitlab.example.com/group/project`. */
  hostUrls: readonly string[];
  branch: string;
}

/** The result of a push for one repository. */
export type PushOutcome =
  | { repositoryId: string; kind: 'queued'; execution: Execution }
  /** A queued run will read the branch when it starts. */
  | { repositoryId: string; kind: 'coalesced' }
  /** A running run may have read the branch before the push: another run follows it. */
  | { repositoryId: string; kind: 'after_current' };

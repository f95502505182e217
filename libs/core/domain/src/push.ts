import { type Execution } from './execution.js';

/** What a code host tells of a push: a hint that a branch has moved, never what changed. */
export interface Push {
  projectId: number;
  /** Full path as the host calls it now; null when it does not say. */
  projectPath: string | null;
  /** Addresses by which the host calls itself or its project, e.g. `https://gitlab.example.com/group/project`. */
  hostUrls: readonly string[];
  branch: string;
}

/** What becomes of a push in one repository. */
export type PushOutcome =
  | { repositoryId: string; kind: 'queued'; execution: Execution }
  /** A run waits already, and will read the branch when it starts. */
  | { repositoryId: string; kind: 'coalesced' }
  /** A run goes on that may have read the branch before: another one follows it. */
  | { repositoryId: string; kind: 'after_current' };

/** Turns pushes into runs, without losing one and without a run for each. */
export abstract class PushStore {
  /**
   * Finds the repositories of a project and branch and sees to a run of each. All or nothing.
   * @param deliveryId by which a repeated delivery is known for a day; null: every one is new.
   * @param delaySeconds from now to the run, so that the pushes in between share it.
   * @returns null when the delivery has been seen before.
   */
  abstract accept(push: Push, deliveryId: string | null, delaySeconds: number): Promise<PushOutcome[] | null>;
  /**
   * Queues the runs that pushes asked for while another one went on, of repositories that are free now; forgets old
   * deliveries. Any number of pods may call it at any time.
   */
  abstract queueFollowUps(): Promise<Execution[]>;
}

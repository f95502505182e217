import fc from 'fast-check';
import { type GitRepository, listTree } from '@devkit';
import { VECTOR_STORES } from '../../../support/vector-stores.js';
import { EditedTree, edit } from './edits.js';
import { faults, server } from './server-variants.js';

const MOVES = fc.oneof(
  { weight: 8, arbitrary: fc.constant('commit' as const) },
  { weight: 1, arbitrary: fc.constant('force_push_back' as const) },
  { weight: 1, arbitrary: fc.constant('unrelated_history' as const) },
  { weight: 2, arbitrary: fc.constant('merge' as const) },
  { weight: 1, arbitrary: fc.constant('branch_switch' as const) },
  { weight: 1, arbitrary: fc.constant('branch_lost' as const) },
  { weight: 1, arbitrary: fc.constant('nothing' as const) },
);

const step = fc.record({
  move: MOVES,
  edits: fc.array(edit, { minLength: 1, maxLength: 5 }),
  pick: fc.nat(997),
  /** Replaces the file rules; null keeps them. */
  excludeGlobs: fc.oneof(
    { weight: 12, arbitrary: fc.constant(null) },
    { weight: 1, arbitrary: fc.constantFrom<string[]>([], ['docs/**'], ['**/*.py']) },
  ),
  fullSync: fc.oneof(
    { weight: 20, arbitrary: fc.constant(false) },
    { weight: 1, arbitrary: fc.constant(true) },
  ),
  faults,
});
export type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

/** @param steps the number of steps in each history. */
export function historyOf(steps: number) {
  const vectors = fc.constantFrom(...VECTOR_STORES);
  return fc.record({ server, vectors, steps: fc.array(step, { minLength: steps, maxLength: steps }) });
}
export type History = ReturnType<typeof historyOf> extends fc.Arbitrary<infer T> ? T : never;

/** Plays a history on the branch `main` of a repository. */
export class HistoryPlayer {
  private readonly heads: string[] = [];

  constructor(private readonly git: GitRepository) {}

  async play({ move, edits, pick }: Step): Promise<void> {
    const earlier = this.heads[pick % Math.max(1, this.heads.length)];
    if (move === 'nothing' && earlier !== undefined) return;
    if (move === 'force_push_back' && earlier !== undefined) await this.git.reset(earlier);
    else if (move === 'unrelated_history') await this.startAnew(edits);
    else if (move === 'merge' && earlier !== undefined) await this.merge(earlier, edits);
    else if (move === 'branch_switch' && earlier !== undefined) await this.switchTo(earlier, edits);
    else await this.commit(edits);
    this.heads.push(await this.git.head());
  }

  private async commit(edits: Step['edits']): Promise<void> {
    const tree = this.heads.length === 0 ? [] : await listTree(this.git.directory, 'HEAD');
    const edited = new EditedTree(this.git, new Map(tree.map(({ path, mode }) => [path, mode])));
    for (const each of edits) edited.apply(each);
    await this.git.commit();
  }

  /** Renames the tracked branch, so GitLab shows the new name as default. Returns a function that renames it back. */
  async loseBranch(): Promise<() => Promise<void>> {
    await this.git.branch('trunk', 'main');
    await this.git.checkout('trunk');
    await this.git.deleteBranch('main');
    return async () => {
      await this.git.branch('main', 'trunk');
      await this.git.checkout('main');
      await this.git.deleteBranch('trunk');
    };
  }

  /** A force-push that removes all earlier commits from the server. */
  private async startAnew(edits: Step['edits']): Promise<void> {
    await this.git.checkout('fresh');
    this.heads.splice(0);
    await this.commit(edits);
    await this.git.branch('main', 'fresh');
    await this.git.checkout('main');
    for (const branch of ['fresh', 'other']) await this.git.deleteBranch(branch).catch(() => undefined);
    await this.git.dropUnreachable();
  }

  /** Creates another branch from an earlier commit, and resets the tracked branch to it. */
  private async switchTo(earlier: string, edits: Step['edits']): Promise<void> {
    await this.growOther(earlier, edits);
    await this.git.branch('main', 'other');
  }

  private async merge(earlier: string, edits: Step['edits']): Promise<void> {
    await this.growOther(earlier, edits);
    const merged = await this.git.git('merge-tree', '--write-tree', 'main', 'other').catch(() => null);
    // Conflicts are resolved in favour of the other branch.
    const tree = merged?.split('\n')[0] ?? (await this.git.git('rev-parse', 'other^{tree}'));
    const identity = ['-c', 'user.name=Devkit', '-c', 'user.email=devkit@example.com'];
    const parents = ['-p', 'main', '-p', 'other'];
    const commit = await this.git.git(...identity, 'commit-tree', tree, ...parents, '-m', 'Merge');
    await this.git.reset(commit);
  }

  private async growOther(earlier: string, edits: Step['edits']): Promise<void> {
    await this.git.branch('other', earlier);
    await this.git.checkout('other');
    await this.commit(edits);
    await this.git.checkout('main');
  }
}

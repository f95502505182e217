import { Injectable } from '@nestjs/common';
import { type Execution, ExecutionStore, ManifestStore, type Repository } from '@core/domain';

/** How many skipped or failed files are read to count their reasons and to show examples. */
const SAMPLE = 500;

/** How current the index of a repository is, and what is not in it. */
export interface RepositoryStatus {
  repository: Repository;
  files: Record<'indexed' | 'skipped' | 'failed', number>;
  /** Reasons of the first {@link SAMPLE} skipped files, most frequent first. */
  skipReasons: [reason: string, files: number][];
  failures: { path: string; error: string }[];
  /** Queued or running. */
  current: Execution | null;
  /** The newest run that has ended. */
  last: Execution | null;
}

@Injectable()
export class RepositoryStatusService {
  constructor(
    private readonly manifest: ManifestStore,
    private readonly executions: ExecutionStore,
  ) {}

  async statusOf(repository: Repository): Promise<RepositoryStatus> {
    const { id } = repository;
    const files = (status: 'indexed' | 'skipped' | 'failed', limit: number) =>
      this.manifest.listFiles(id, { status }, { limit, offset: 0, sort: 'path' });
    const [indexed, skipped, failed, runs] = await Promise.all([
      files('indexed', 1),
      files('skipped', SAMPLE),
      files('failed', 5),
      this.executions.list({ repositoryId: id }, { limit: 10, offset: 0 }),
    ]);
    const isOpen = ({ status }: Execution): boolean => status === 'queued' || status === 'running';
    return {
      repository,
      files: { indexed: indexed.total, skipped: skipped.total, failed: failed.total },
      skipReasons: countBy(skipped.items.map(({ skipReason }) => skipReason ?? 'unknown')),
      failures: failed.items.map(({ path, lastError }) => ({ path, error: lastError ?? '' })),
      current: runs.items.find(isOpen) ?? null,
      last: runs.items.find((run) => run.completedAt !== null) ?? null,
    };
  }
}

function countBy(words: readonly string[]): [string, number][] {
  const counts = new Map<string, number>();
  for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1);
  return [...counts].sort(([, left], [, right]) => right - left);
}

import { Injectable } from '@nestjs/common';
import { compileFileRules } from '@core/chunking';
import {
  RepotideError,
  Embedder,
  ExecutionStore,
  type FileSort,
  type Folder,
  type ManifestEntry,
  ManifestStore,
  type Page,
  type PageRequest,
  type Repository,
  type RepositoryChanges,
  type RepositoryFilter,
  type RepositorySort,
  RepositoryStore,
  Hints,
  type SortedPageRequest,
  SourceFactory,
} from '@core/domain';
import { CREDENTIAL_FIELDS, existing, naming } from '../http/problem.js';
import { assertChunkSettings } from './chunk-settings.js';
import { assertBranch } from './registration.service.js';

/** Reads and edits registered repositories, and lists their indexed files and folders. */
@Injectable()
export class RepositoriesService {
  constructor(
    private readonly repositories: RepositoryStore,
    private readonly executions: ExecutionStore,
    private readonly manifest: ManifestStore,
    private readonly sources: SourceFactory,
    private readonly embedder: Embedder,
    private readonly hints: Hints,
  ) {}

  list(filter: RepositoryFilter, page: SortedPageRequest<RepositorySort>): Promise<Page<Repository>> {
    return this.repositories.list(filter, page);
  }

  /** @throws not_found `repository_not_found`, for a deleted one too. */
  async get(repositoryId: string): Promise<Repository> {
    return existing(await this.repositories.find(repositoryId), 'repository', repositoryId);
  }

  /**
   * The change applies from the next run. A new credential must be able to see the project, and a new branch must exist.
   * @throws not_found `repository_not_found`; conflict `revision_mismatch`, `repository_exists`; invalid as at registration.
   */
  async update(
    repositoryId: string,
    changes: RepositoryChanges,
    expectedRevision: number | undefined,
    signal: AbortSignal,
  ): Promise<Repository> {
    const current = await this.get(repositoryId);
    const next = { ...current, ...changes };
    compileFileRules(next);
    assertChunkSettings(next);
    const isOther = changes.credentialId !== undefined || next.branch !== current.branch;
    const path = isOther ? { projectPath: await this.pathSeenBy(next, signal) } : {};
    // Size and overlap were checked together with the stored values, which must not have changed since.
    const judged = 'chunkSize' in changes || 'chunkOverlap' in changes ? current.revision : undefined;
    return this.repositories.update(repositoryId, { ...changes, ...path }, expectedRevision ?? judged);
  }

  /**
   * Marks a repository as deleted and stops its schedules. A background run purges its points.
   * @throws not_found `repository_not_found`, also for a deleted one.
   */
  async remove(repositoryId: string): Promise<void> {
    await this.repositories.softDelete(repositoryId);
    this.hints.publish({ kind: 'schedules_changed' });
  }

  /** @throws not_found `repository_not_found`. */
  async listFiles(
    repositoryId: string,
    filter: Parameters<ManifestStore['listFiles']>[1],
    page: SortedPageRequest<FileSort>,
  ): Promise<Page<ManifestEntry>> {
    await this.get(repositoryId);
    return this.manifest.listFiles(repositoryId, filter, page);
  }

  /** Lists the direct subfolders of a folder. @throws not_found `repository_not_found`, `folder_not_found`. */
  async listFolder(repositoryId: string, path: string, page: PageRequest): Promise<Page<Folder>> {
    await this.get(repositoryId);
    const folder = path.replace(/^\/+|\/+$/g, '');
    const children = await this.manifest.listFolder(repositoryId, folder, page);
    if (children) return children;
    // A repository that never ran has no folders yet, not even its root.
    if (folder === '') return { items: [], total: 0 };
    throw new RepotideError(
      'not_found',
      'folder_not_found',
      `The index knows no folder "${folder}" in this repository. The tree without path lists what it knows.`,
    );
  }

  /** The progress of the purge of a deleted repository. @throws not_found `repository_not_found`, `purge_not_found`. */
  async purgeOf(repositoryId: string) {
    const found = await this.repositories.findIncludingDeleted(repositoryId);
    const { deletedAt, purgedAt } = existing(found, 'repository', repositoryId);
    if (deletedAt === null) {
      const message = `Repository ${repositoryId} is not deleted, so it has no purge.`;
      throw new RepotideError('not_found', 'purge_not_found', message);
    }
    const { items } = await this.executions.list({ repositoryId }, { limit: 1, offset: 0 });
    // After the deletion, only a purge can be queued for the repository.
    const run = items[0]?.handler === 'purge' ? items[0] : null;
    const status = purgedAt ? 'purged' : run?.status === 'running' ? 'running' : 'waiting';
    const { id: executionId = null, chunksDeleted = 0 } = run ?? {};
    return { repositoryId, status, deletedAt, purgedAt, executionId, chunksDeleted } as const;
  }

  private async pathSeenBy(repository: Repository, signal: AbortSignal): Promise<string> {
    try {
      const source = await this.sources.open(repository, signal, { isUrgent: true });
      const { projectPath } = await source.findProject(repository.projectId, signal);
      await assertBranch(source, repository, signal);
      return projectPath;
    } catch (error) {
      const fields = { ...CREDENTIAL_FIELDS, project_not_found: 'credential_id', branch_not_found: 'branch' };
      throw naming(error, fields);
    }
  }
}

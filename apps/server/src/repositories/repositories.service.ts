import { Injectable } from '@nestjs/common';
import { compileFileRules } from '@core/chunking';
import { Hints, type Repository, type RepositoryChanges, RepositoryStore, SourceFactory } from '@core/domain';
import { CREDENTIAL_FIELDS, existing, naming } from '../http/problem.js';
import { assertChunkSettings } from './chunk-settings.js';
import { assertBranch } from './registration.service.js';

/** Edits registered repositories. */
@Injectable()
export class RepositoriesService {
  constructor(
    private readonly repositories: RepositoryStore,
    private readonly sources: SourceFactory,
    private readonly hints: Hints,
  ) {}

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

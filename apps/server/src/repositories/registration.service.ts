import { Inject, Injectable } from '@nestjs/common';
import { compileFileRules } from '@core/chunking';
import {
  Embedders,
  GenerationStore,
  isInScope,
  RepotideError,
  type NewRepository,
  type Repository,
  RepositoryStore,
  type Scope,
  type Source,
  SourceFactory,
  type SourceProject,
  type SourceTarget,
  throwIfAborted,
  VectorStore,
} from '@core/domain';
import { type Config } from '@platform/config';
import { naming, sourceFields } from '../http/problem.js';
import { CONFIG } from '../injection-tokens.js';
import { assertChunkSettings } from './chunk-settings.js';
import { assertCollectionName, DEFAULT_COLLECTION } from './collection-name.js';
import { isUrl, parseGitUrl } from './git-url.js';

const STORE_TIMEOUT_MS = 2_000;

/** The settings of a new repository. All other values are looked up or have defaults. */
export interface Registration extends Partial<
  Omit<NewRepository, 'provider' | 'projectId' | 'projectPath' | 'credentialId'>
> {
  /** Numeric id or full path of a project of GitLab, or the URL of a repository at any git host. */
  project: number | string;
  credentialId?: string | null;
}

/** Registers repositories. Checks everything before it writes the row. */
@Injectable()
export class RegistrationService {
  constructor(
    private readonly repositories: RepositoryStore,
    private readonly sources: SourceFactory,
    private readonly vectors: VectorStore,
    private readonly generations: GenerationStore,
    private readonly embedders: Embedders,
    @Inject(CONFIG) private readonly config: Pick<Config, 'gitlab' | 'chunking'>,
  ) {}

  /**
   * @param scope of the caller: a project outside of it is not found. Default: all.
   * @throws invalid `project_not_found`, `branch_not_found`, `branch_required`, `source_url_invalid`, `url_not_allowed`,
   *   `collection_name_invalid`, `glob_invalid`, `chunk_size_*`, `chunk_overlap_invalid`; conflict `repository_exists`, `collection_mismatch`; and errors of
   *   the source. On an error nothing is stored.
   */
  async register(registration: Registration, signal: AbortSignal, scope: Scope = null): Promise<Repository> {
    return this.repositories.create(await this.locate(registration, signal, scope));
  }

  /** Checks a registration without storing it. @throws as {@link register}, except `repository_exists`. */
  async locate(registration: Registration, signal: AbortSignal, scope: Scope = null): Promise<NewRepository> {
    const settings = this.withDefaults(registration);
    assertCollectionName(settings.collectionName);
    compileFileRules(settings);
    assertChunkSettings(settings);
    await this.assertCollectionFits(settings.collectionName, signal);
    return { ...settings, ...(await this.findProject(registration, settings, signal, scope)) };
  }

  /** A store that does not answer now refuses no registration: the first run checks the collection again. */
  private async assertCollectionFits(name: string, signal: AbortSignal): Promise<void> {
    if ((await this.generations.list([name])).length > 0) return;
    const { id: modelId, dimensions } = this.embedders.configured.model;
    try {
      const inTime = AbortSignal.any([signal, AbortSignal.timeout(STORE_TIMEOUT_MS)]);
      await this.vectors.isMadeBeforehand({ name, modelId, dimensions }, inTime);
    } catch (error) {
      throwIfAborted(signal);
      if (error instanceof RepotideError && error.code === 'collection_mismatch') throw error;
    }
  }

  private withDefaults(registration: Registration) {
    const { gitlab, chunking } = this.config;
    return {
      ...placeOf(registration, gitlab.url),
      collectionName: registration.collectionName ?? DEFAULT_COLLECTION,
      includeGlobs: registration.includeGlobs ?? [],
      excludeGlobs: registration.excludeGlobs ?? [],
      maxFileBytes: registration.maxFileBytes ?? chunking.maxFileBytes,
      chunkSize: registration.chunkSize ?? chunking.size,
      chunkOverlap: registration.chunkOverlap ?? chunking.overlap,
      credentialId: registration.credentialId ?? null,
    };
  }

  private async findProject(
    { project, branch: wanted }: Registration,
    target: SourceTarget,
    signal: AbortSignal,
    scope: Scope,
  ): Promise<Pick<NewRepository, 'baseUrl' | 'projectId' | 'projectPath' | 'branch'>> {
    const address = target.provider === 'git' ? 'git_url' : 'base_url';
    try {
      const source = await this.sources.open(target, signal, { isUrgent: true });
      const found = await source.findProject(project, signal);
      const baseUrl = normalizeBaseUrl(target.baseUrl);
      if (!isInScope(scope, { baseUrl, projectPath: found.projectPath })) throw outsideScope(project);
      const branch = wanted ?? found.defaultBranch ?? refuseWithoutBranch(found);
      await assertBranch(source, { ...found, branch }, signal);
      const { projectId, projectPath } = found;
      return { baseUrl, projectId, projectPath, branch };
    } catch (error) {
      throw naming(error, {
        ...sourceFields(address),
        source_redirect_refused: address,
        project_not_found: fieldOf(project),
        branch_not_found: 'branch',
      });
    }
  }
}

/** Where the project is: at a GitLab, or with the provider `git` at its URL. */
function placeOf({ project, baseUrl }: Registration, gitlabUrl: string) {
  if (typeof project === 'number' || !isUrl(project))
    return { provider: 'gitlab' as const, baseUrl: baseUrl ?? gitlabUrl };
  const { origin, projectPath } = parseGitUrl(project);
  if (baseUrl === undefined) return { provider: 'git' as const, baseUrl: origin, projectPath };
  const message =
    'git_url contains the address of its host. Leave base_url out; it is for projects of GitLab.';
  throw new RepotideError('invalid', 'source_url_invalid', message, { details: { field: 'base_url' } });
}

function fieldOf(project: number | string): string {
  if (typeof project === 'number') return 'project_id';
  return isUrl(project) ? 'git_url' : 'project_path';
}

/** One spelling per host, so that a second registration is detected. The source has validated the address before. */
export function normalizeBaseUrl(baseUrl: string): string {
  const { origin, pathname } = new URL(baseUrl.trim());
  return origin + pathname.replace(/\/+$/, '');
}

/** @throws not_found `branch_not_found`. */
export async function assertBranch(
  source: Source,
  { projectId, branch }: Pick<Repository, 'projectId' | 'branch'>,
  signal: AbortSignal,
): Promise<void> {
  try {
    await source.headOf(projectId, branch, signal);
  } catch (error) {
    // An empty repository may be registered. Its runs fail with `repository_empty` until a branch is pushed.
    if (error instanceof RepotideError && error.code === 'repository_empty') return;
    throw error;
  }
}

/** The same code as for a project that GitLab does not show, so that it reveals nothing. */
function outsideScope(project: number | string): RepotideError {
  const message = `There is no project ${project} in the scope of the caller.`;
  return new RepotideError('not_found', 'project_not_found', message);
}

function refuseWithoutBranch(project: SourceProject): never {
  throw new RepotideError(
    'invalid',
    'branch_required',
    project.isEmpty
      ? `${project.projectPath} has no default branch, since it is empty. Give the branch that will be pushed.`
      : `The host names no default branch of ${project.projectPath}. Give the branch.`,
    { details: { field: 'branch' } },
  );
}

import { createHash } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { compileFileRules } from '@core/chunking';
import { compileSelection, previewDiscovery } from '@core/discovery';
import {
  RepotideError,
  type Discovery,
  type DiscoveryChanges,
  type DiscoveryRun,
  DiscoveryStore,
  type NewDiscovery,
  type Page,
  type PageRequest,
  Hints,
  SourceFactory,
} from '@core/domain';
import { type Config } from '@platform/config';
import { type OwnRequestKey } from '../http/parameters.js';
import { existing, naming, sourceFields } from '../http/problem.js';
import { assertChunkSettings } from '../repositories/chunk-settings.js';
import { assertCollectionName, DEFAULT_COLLECTION } from '../repositories/collection-name.js';
import { normalizeBaseUrl } from '../repositories/registration.service.js';
import { CONFIG } from '../injection-tokens.js';
import { type RowOf } from '../http/model.js';
import { type DiscoveryDto, type DiscoveryPreviewDto, TEMPLATE_DEFAULTS } from './discovery.schema.js';
import { assertTimings, nextLook } from './timing.js';

const DEFAULT_GRACE_HOURS = 24;

export type DiscoveryRequest = Partial<NewDiscovery>;
type ShownDiscovery = Discovery & { schedule: RowOf<typeof DiscoveryDto>['schedule'] };

/** Discoveries: groups and hosts whose projects are registered automatically. */
@Injectable()
export class DiscoveriesService {
  constructor(
    private readonly store: DiscoveryStore,
    private readonly sources: SourceFactory,
    private readonly hints: Hints,
    @Inject(CONFIG) private readonly config: Pick<Config, 'gitlab' | 'chunking'>,
  ) {}

  /**
   * Stores a discovery and starts its first run.
   * @throws invalid `group_not_found`, `glob_invalid`, `cron_invalid`, `timezone_invalid`, `collection_name_invalid`,
   *   `chunk_size_*`, `chunk_overlap_invalid`, `source_url_invalid`; conflict `discovery_exists`; and errors of the
   *   source.
   */
  async create(request: DiscoveryRequest, signal: AbortSignal): Promise<ShownDiscovery> {
    const wanted = this.withDefaults(request);
    this.assertValid(wanted);
    await this.assertVisible(wanted, signal);
    const discovery = await this.store.create({ ...wanted, baseUrl: normalizeBaseUrl(wanted.baseUrl) });
    this.hints.publish({ kind: 'schedules_changed' });
    return withTemplate(discovery);
  }

  async list(page: PageRequest): Promise<Page<ShownDiscovery>> {
    const { items, total } = await this.store.list(page);
    return { items: items.map(withTemplate), total };
  }

  /** @throws not_found `discovery_not_found`. */
  async get(discoveryId: string): Promise<ShownDiscovery> {
    return withTemplate(existing(await this.store.find(discoveryId), 'discovery', discoveryId));
  }

  /** Applies from the next run; registered repositories keep their settings. @throws as `create`; conflict `revision_mismatch`. */
  async update(
    discoveryId: string,
    changes: DiscoveryChanges,
    expectedRevision: number | undefined,
    signal: AbortSignal,
  ): Promise<ShownDiscovery> {
    const current = await this.get(discoveryId);
    const next = { ...current, ...changes };
    this.assertValid(next);
    if (changes.credentialId !== undefined) await this.assertVisible(next, signal);
    // Refuses a concurrent edit: the checks above cover the changes together with the current settings.
    const revision = expectedRevision ?? current.revision;
    const discovery = await this.store.update(discoveryId, changes, nextLook, revision);
    this.hints.publish({ kind: 'schedules_changed' });
    return withTemplate(discovery);
  }

  /** @throws not_found `discovery_not_found`, also for a deleted one. */
  remove(discoveryId: string): Promise<void> {
    return this.store.softDelete(discoveryId);
  }

  /** @throws conflict `discovery_running`; invalid `idempotency_key_reused`; not_found `discovery_not_found`. */
  async run(
    discoveryId: string,
    request: { force: boolean; requestedBy: string | null },
    ownKey?: OwnRequestKey,
  ): Promise<DiscoveryRun> {
    const requestKey = ownKey && { ...ownKey, requestHash: hashOf(discoveryId, request.force) };
    const run = await this.store.enqueue({ discoveryId, ...request, requestKey });
    this.hints.publish({ kind: 'schedules_changed' });
    return run;
  }

  /** @throws conflict `discovery_loss_refused`; and errors of the source. */
  async preview(
    discoveryId: string,
    force: boolean,
    signal: AbortSignal,
  ): Promise<RowOf<typeof DiscoveryPreviewDto>> {
    const discovery = await this.get(discoveryId);
    const { store, sources } = this;
    const preview = await previewDiscovery(discovery, force, { store, sources }, signal);
    const graceMs = discovery.graceHours * 3_600_000;
    const retire = preview.missing.map((missing) => ({
      ...missing,
      repositoryId: missing.id,
      retiresAt: missing.missingSince && new Date(missing.missingSince.getTime() + graceMs),
    }));
    return { ...preview, retire };
  }

  async listRuns(discoveryId: string, page: PageRequest): Promise<Page<DiscoveryRun>> {
    await this.get(discoveryId);
    return this.store.listRuns(discoveryId, page);
  }

  /** @throws not_found `discovery_run_not_found`. */
  async getRun(discoveryId: string, runId: string): Promise<DiscoveryRun> {
    const run = await this.store.findRun(discoveryId, runId);
    if (run) return run;
    const message = `Discovery ${discoveryId} has no run ${runId}; only the last hundred are kept.`;
    throw new RepotideError('not_found', 'discovery_run_not_found', message);
  }

  private withDefaults(request: DiscoveryRequest): NewDiscovery {
    const { gitlab, chunking } = this.config;
    const baseUrl = request.baseUrl ?? gitlab.url;
    const groupPath = request.groupPath?.replace(/^\/+|\/+$/g, '') ?? null;
    return {
      includeSubgroups: true,
      membersOnly: true,
      includeProjects: [],
      excludeProjects: [],
      branches: [],
      archivedProjects: 'exclude',
      credentialId: null,
      collectionName: DEFAULT_COLLECTION,
      includeGlobs: [],
      excludeGlobs: [],
      maxFileBytes: chunking.maxFileBytes,
      chunkSize: chunking.size,
      chunkOverlap: chunking.overlap,
      scheduleCronExpression: TEMPLATE_DEFAULTS.cron,
      scheduleTimezone: TEMPLATE_DEFAULTS.timezone,
      cronExpression: '0 * * * *',
      timezone: 'UTC',
      isActive: true,
      graceHours: DEFAULT_GRACE_HOURS,
      name: groupPath ?? baseUrl,
      ...request,
      baseUrl,
      groupPath,
    };
  }

  private assertValid(discovery: NewDiscovery): void {
    assertTimings(discovery);
    compileSelection(discovery);
    compileFileRules(discovery);
    assertCollectionName(discovery.collectionName);
    assertChunkSettings(discovery);
  }

  /** Checks a group by listing it. A whole host is too large to list, so only its address and credential are checked. */
  private async assertVisible(
    discovery: Pick<Discovery, 'baseUrl' | 'credentialId' | 'groupPath'>,
    signal: AbortSignal,
  ): Promise<void> {
    const { baseUrl, credentialId, groupPath } = discovery;
    try {
      const source = await this.sources.open({ baseUrl, credentialId }, signal, { isUrgent: true });
      const shallow = { includeSubgroups: false, includeArchived: false, membersOnly: true };
      if (groupPath !== null) await source.listProjects({ groupPath, ...shallow }, signal);
    } catch (error) {
      throw naming(error, { ...sourceFields(), group_not_found: 'group_path' });
    }
  }
}

function withTemplate(discovery: Discovery): ShownDiscovery {
  const { scheduleCronExpression: cronExpression, scheduleTimezone: timezone } = discovery;
  return { ...discovery, schedule: cronExpression === null ? null : { cronExpression, timezone } };
}

function hashOf(discoveryId: string, force: boolean): string {
  return createHash('sha256')
    .update(JSON.stringify(['discover', discoveryId, force]))
    .digest('hex');
}

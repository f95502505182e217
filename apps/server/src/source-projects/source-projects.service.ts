import { Inject, Injectable } from '@nestjs/common';
import {
  DiscoveryStore,
  isInScope,
  type PageRequest,
  type Scope,
  type Source,
  SourceFactory,
  type SourceTarget,
} from '@core/domain';
import { type Config } from '@platform/config';
import { type RowOf } from '../http/model.js';
import { naming } from '../http/problem.js';
import { CONFIG } from '../injection-tokens.js';
import { normalizeBaseUrl } from '../repositories/registration.service.js';
import { groupsOf } from './groups-of.js';
import { type SourceProjectListDto } from './source-project.schema.js';

interface Asked {
  baseUrl?: string;
  credentialId?: string;
  group?: string;
  /** Part of a path. */
  search?: string;
  /** The caller's scope: it sees no other projects. */
  scope: Scope;
}

type Listing = Awaited<ReturnType<Source['listProjects']>>;

/** How long a listing is used again, while a person searches in it. */
const KEPT_MS = 60_000;
/** Each may hold thousands of projects. */
const MOST_KEPT = 20;

/** Asks a host for the projects that a token can see. */
@Injectable()
export class SourceProjectsService {
  private readonly kept = new Map<string, { listing: Listing; untilMs: number }>();

  constructor(
    private readonly sources: SourceFactory,
    private readonly discoveries: DiscoveryStore,
    @Inject(CONFIG) private readonly config: Pick<Config, 'gitlab'>,
  ) {}

  /** @throws invalid `group_not_found`, `source_url_invalid`, `url_not_allowed`; and errors of the source. */
  async list(
    { baseUrl: given = this.config.gitlab.url, credentialId, group, search = '', scope }: Asked,
    { limit, offset }: PageRequest,
    signal: AbortSignal,
  ): Promise<RowOf<typeof SourceProjectListDto>> {
    const target = { baseUrl: given, credentialId: credentialId ?? null };
    const listed = await this.recentOrNew(target, group, signal);
    const baseUrl = normalizeBaseUrl(given);
    const known = await this.discoveries.listKnown({ baseUrl });
    const registered = new Set(known.map(({ projectId }) => projectId));
    const matches = (path: string) => path.toLowerCase().includes(search.toLowerCase());
    const visible = listed.filter(({ projectPath }) => isInScope(scope, { baseUrl, projectPath }));
    const items = visible
      .filter(({ projectPath }) => matches(projectPath))
      .toSorted((one, other) => one.projectPath.localeCompare(other.projectPath));
    const groups = groupsOf(visible.map(({ projectPath }) => projectPath)).filter(({ groupPath }) =>
      matches(groupPath),
    );
    return {
      items: items
        .slice(offset, offset + limit)
        .map((project) => ({ ...project, isRegistered: registered.has(project.projectId) })),
      total: items.length,
      groups: groups.slice(0, limit),
      groupTotal: groups.length,
    };
  }

  private async recentOrNew(
    target: SourceTarget,
    group: string | undefined,
    signal: AbortSignal,
  ): Promise<Listing> {
    const key = JSON.stringify([target, group]);
    const nowMs = performance.now();
    for (const [other, { untilMs }] of this.kept) if (untilMs <= nowMs) this.kept.delete(other);
    const recent = this.kept.get(key);
    if (recent !== undefined) return recent.listing;
    const listing = await this.ask(target, group, signal);
    if (this.kept.size < MOST_KEPT) this.kept.set(key, { listing, untilMs: nowMs + KEPT_MS });
    return listing;
  }

  private async ask(target: SourceTarget, group: string | undefined, signal: AbortSignal) {
    try {
      const source = await this.sources.open(target, signal, { isUrgent: true });
      const groupPath = group?.replace(/^\/+|\/+$/g, '') ?? null;
      const listing = { groupPath, includeSubgroups: true, includeArchived: false, membersOnly: true };
      return await source.listProjects(listing, signal);
    } catch (error) {
      throw naming(error, {
        group_not_found: 'group',
        source_url_invalid: 'base_url',
        url_not_allowed: 'base_url',
        credential_unavailable: 'credential_id',
        credential_not_found: 'credential_id',
        credential_foreign_host: 'credential_id',
      });
    }
  }
}

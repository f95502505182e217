import { Get, Inject, Query } from '@nestjs/common';
import {
  DiscoveryStore,
  isInScope,
  type Scope,
  type Source,
  SourceFactory,
  type SourceTarget,
} from '@core/domain';
import { type Config } from '@platform/config';
import { RequireRole } from '../access/role.js';
import { ApiRoute, Resource, SOURCE_PROBLEMS } from '../http/api-route.js';
import { type Given } from '../http/model.js';
import { CallerScope, RequestSignal } from '../http/parameters.js';
import { naming, sourceFields } from '../http/problem.js';
import { CONFIG } from '../injection-tokens.js';
import { normalizeBaseUrl } from '../repositories/registration.service.js';
import { groupsOf } from './groups-of.js';
import { SourceProjectListDto, SourceProjectQueryDto } from './source-project.schema.js';

type Listing = Awaited<ReturnType<Source['listProjects']>>;

/** How long a listing is used again, while a person searches in it. */
const KEPT_MS = 60_000;
/** Each may hold thousands of projects. */
const MOST_KEPT = 20;

@Resource('source-projects', 'discoveries')
export class SourceProjectsController {
  private readonly kept = new Map<string, { listing: Listing; untilMs: number }>();

  constructor(
    private readonly sources: SourceFactory,
    private readonly discoveries: DiscoveryStore,
    @Inject(CONFIG) private readonly config: Pick<Config, 'gitlab'>,
  ) {}

  @Get()
  @RequireRole('admin')
  @ApiRoute({
    summary: 'List the projects of a GitLab',
    description:
      'Asks the host now, with the token of the environment or a stored credential; so it also tests both. ' +
      'Nothing is registered. What the host answered is used again for a minute, so that pages and searches cost no further request.',
    answers: SourceProjectListDto,
    problems: {
      422: '`group_not_found`, `source_url_invalid`, `url_not_allowed`, `credential_unavailable`, `credential_foreign_host`.',
      ...SOURCE_PROBLEMS,
    },
  })
  async listSourceProjects(
    @Query({ schema: SourceProjectQueryDto }) query: Given<typeof SourceProjectQueryDto>,
    @CallerScope() scope: Scope,
    @RequestSignal() signal: AbortSignal,
  ) {
    const { baseUrl: given = this.config.gitlab.url, search = '', limit, offset } = query;
    const target = { baseUrl: given, credentialId: query.credentialId ?? null };
    const listed = await this.recentOrNew(target, query.group, signal);
    const baseUrl = normalizeBaseUrl(given);
    const known = await this.discoveries.listKnown({ baseUrl });
    const registered = new Set(known.map(({ projectId }) => projectId));
    const matches = (path: string) => path.toLowerCase().includes(search.toLowerCase());
    const visible = listed.filter(({ projectPath }) => isInScope(scope, { baseUrl, projectPath }));
    const items = visible
      .filter(({ projectPath }) => matches(projectPath))
      .toSorted((one, other) => one.projectPath.localeCompare(other.projectPath));
    const paths = visible.map(({ projectPath }) => projectPath);
    const groups = groupsOf(paths).filter(({ groupPath }) => matches(groupPath));
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
      throw naming(error, { ...sourceFields(), group_not_found: 'group' });
    }
  }
}

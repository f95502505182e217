import { Inject, Injectable } from '@nestjs/common';
import {
  DiscoveryStore,
  isInScope,
  type Page,
  type PageRequest,
  type Scope,
  SourceFactory,
  type SourceTarget,
} from '@core/domain';
import { type Config } from '@platform/config';
import { type RowOf } from '../http/model.js';
import { naming } from '../http/problem.js';
import { CONFIG } from '../injection-tokens.js';
import { normalizeBaseUrl } from '../repositories/registration.service.js';
import { type SourceProjectDto } from './source-project.schema.js';

interface Asked {
  baseUrl?: string;
  credentialId?: string;
  group?: string;
  /** The caller's scope: it sees no other projects. */
  scope: Scope;
}

/** Asks a host for the projects that a token can see. */
@Injectable()
export class SourceProjectsService {
  constructor(
    private readonly sources: SourceFactory,
    private readonly discoveries: DiscoveryStore,
    @Inject(CONFIG) private readonly config: Pick<Config, 'gitlab'>,
  ) {}

  /** @throws invalid `group_not_found`, `source_url_invalid`, `url_not_allowed`; and errors of the source. */
  async list(
    { baseUrl: given = this.config.gitlab.url, credentialId, group, scope }: Asked,
    { limit, offset }: PageRequest,
    signal: AbortSignal,
  ): Promise<Page<RowOf<typeof SourceProjectDto>>> {
    const listed = await this.ask({ baseUrl: given, credentialId: credentialId ?? null }, group, signal);
    const baseUrl = normalizeBaseUrl(given);
    const known = await this.discoveries.listKnown({ baseUrl });
    const registered = new Set(known.map(({ projectId }) => projectId));
    const items = listed
      .filter(({ projectPath }) => isInScope(scope, { baseUrl, projectPath }))
      .toSorted((one, other) => one.projectPath.localeCompare(other.projectPath))
      .map((project) => ({ ...project, isRegistered: registered.has(project.projectId) }));
    return { items: items.slice(offset, offset + limit), total: items.length };
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

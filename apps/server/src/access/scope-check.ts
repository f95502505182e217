import { Injectable } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { type RepositoryPart, ScopedRepositories } from '@adapters/postgres';
import { type Caller, isLimited, type VisibleRepositories } from '@core/domain';
import {
  BY_SCOPE_METADATA,
  SCOPED_METADATA,
  SUBJECT_METADATA,
  type RouteSubject,
} from '../http/parameters.js';
import { Membership } from './membership.js';
import { existing, HttpProblem } from '../http/problem.js';

const PARTS: readonly string[] = ['repository', 'schedule', 'execution'] satisfies RepositoryPart[];
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** What a route is: its handler, and the values in its path. */
export interface CalledRoute {
  handler: () => unknown;
  params: Readonly<Record<string, unknown>>;
}

/**
 * The one place that enforces scopes. A caller with a scope reaches only routes about one row of a repository, which is
 * checked here, and routes that take `@Visible()`, which limits their queries. All other routes refuse it, so a new route
 * reveals nothing by mistake.
 */
@Injectable()
export class ScopeCheck {
  constructor(
    private readonly reflector: Reflector,
    private readonly repositories: ScopedRepositories,
    private readonly membership: Membership,
  ) {}

  /** The repositories that a caller may see now, deleted ones included; null: all. */
  async visibleTo({ scope, gitlabUserId }: Caller): Promise<VisibleRepositories> {
    const inScope = await this.repositories.idsIn(scope);
    return gitlabUserId === undefined ? inScope : this.membership.readableBy(gitlabUserId, inScope);
  }

  /**
   * @returns the repositories that the caller may see.
   * @throws HttpProblem 403 `scope_too_small`; not_found as for a missing row.
   */
  async admit(caller: Caller, { handler, params }: CalledRoute): Promise<VisibleRepositories> {
    if (!isLimited(caller)) return null;
    const subject = this.reflector.get<RouteSubject | undefined>(SUBJECT_METADATA, handler);
    const isScoped = this.reflector.get<boolean | undefined>(SCOPED_METADATA, handler) === true;
    if (subject === undefined ? !isScoped : !PARTS.includes(subject.of)) throw needsWholeScope(caller);
    const isByScope = this.reflector.get<boolean | undefined>(BY_SCOPE_METADATA, handler) === true;
    if (isByScope && caller.gitlabUserId !== undefined) throw needsWholeScope(caller);
    const visible = await this.visibleTo(caller);
    const id = subject && params[subject.name];
    // The pipe of the parameter answers 400 to any other text.
    if (subject && typeof id === 'string' && UUID.test(id)) {
      const isVisible = await this.isAmong(visible, subject.of as RepositoryPart, id);
      existing(isVisible ? id : null, subject.of, id);
    }
    return visible;
  }

  /** Whether a caller may see a row now; false for a missing one. */
  async maySee(caller: Caller, part: RepositoryPart, id: string): Promise<boolean> {
    return this.isAmong(await this.visibleTo(caller), part, id);
  }

  private async isAmong(visible: VisibleRepositories, part: RepositoryPart, id: string): Promise<boolean> {
    const owner = await this.repositories.ownerOf(part, id);
    return owner !== null && (visible === null || visible.includes(owner));
  }
}

/** @throws not_found `repository_not_found` for a repository that the caller may not see, as for a missing one. */
export function assertVisibleRepository(visible: VisibleRepositories, repositoryId: string): void {
  const isVisible = visible === null || visible.includes(repositoryId.toLowerCase());
  existing(isVisible ? repositoryId : null, 'repository', repositoryId);
}

function needsWholeScope(caller: Caller): HttpProblem {
  const detail = `This is about the whole installation, and "${caller.name}" may see only a part of it. Use an API token without a scope.`;
  return new HttpProblem(403, 'scope_too_small', detail, {
    'WWW-Authenticate': 'Bearer realm="repotide", error="insufficient_scope"',
  });
}

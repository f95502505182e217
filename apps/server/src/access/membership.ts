import { Inject, Injectable } from '@nestjs/common';
import pMap from 'p-map';
import { type ScopedProject, ScopedRepositories } from '@adapters/postgres';
import { Clock, CodeRights, Logger, toRepotideError, type VisibleRepositories } from '@core/domain';
import { type Config } from '@platform/config';
import { CONFIG } from '../injection-tokens.js';

/** Requests to GitLab at once for one caller. */
const CONCURRENCY = 8;
/** All checks of one request of a caller. */
const TIMEOUT_MS = 15_000;
/** Answers that are kept, each of some hundred bytes. */
const MOST_KEPT = 100_000;

interface Kept {
  mayRead: Promise<boolean>;
  untilMs: number;
}

/**
 * Finds the repositories whose code a user may read at GitLab now. An answer is kept for GITLAB_MEMBERSHIP_SECONDS. Without an
 * answer a repository is hidden.
 */
@Injectable()
export class Membership {
  private readonly kept = new Map<string, Kept>();

  constructor(
    private readonly repositories: ScopedRepositories,
    private readonly rights: CodeRights,
    private readonly clock: Clock,
    private readonly logger: Logger,
    @Inject(CONFIG) private readonly config: Pick<Config, 'auth' | 'gitlab'>,
  ) {}

  /**
   * @param userId the number at GITLAB_URL; null: unknown, so nothing is readable.
   * @param candidates null: all repositories.
   */
  async readableBy(userId: number | null, candidates: VisibleRepositories): Promise<readonly string[]> {
    if (userId === null) return [];
    const projects = await this.repositories.projectsOf(candidates);
    const signal = AbortSignal.timeout(TIMEOUT_MS);
    const answers = await pMap(
      projects,
      async (project) => ((await this.mayRead(userId, project, signal)) ? [project.id] : []),
      { concurrency: CONCURRENCY },
    );
    return answers.flat();
  }

  private async mayRead(userId: number, project: ScopedProject, signal: AbortSignal): Promise<boolean> {
    const { provider, baseUrl, projectId, credentialId } = project;
    // The number of a user means nothing at another host.
    if (provider !== 'gitlab' || projectId === null || baseUrl !== this.config.gitlab.url) return false;
    const key = `${userId} ${projectId} ${credentialId ?? ''}`;
    const known = this.kept.get(key);
    if (known !== undefined && known.untilMs > this.clock.monotonicMs()) return known.mayRead;
    const mayRead = this.check(userId, { baseUrl, projectId, credentialId }, signal, key);
    this.keep(key, mayRead);
    return mayRead;
  }

  private async check(
    userId: number,
    project: { baseUrl: string; projectId: number; credentialId: string | null },
    signal: AbortSignal,
    key: string,
  ): Promise<boolean> {
    try {
      return await this.rights.mayReadCode(userId, project, signal);
    } catch (thrown) {
      this.kept.delete(key);
      const { code, message } = toRepotideError(thrown);
      const fields = {
        gitlab_user_id: userId,
        project_id: project.projectId,
        error_code: code,
        error: message,
      };
      this.logger.warn(fields, 'Rights at GitLab could not be checked; the repository is hidden');
      return false;
    }
  }

  private keep(key: string, mayRead: Promise<boolean>): void {
    const [oldest] = this.kept.keys();
    if (this.kept.size >= MOST_KEPT && oldest !== undefined) this.kept.delete(oldest);
    this.kept.delete(key);
    const untilMs = this.clock.monotonicMs() + this.config.auth.membershipSeconds * 1000;
    this.kept.set(key, { mayRead, untilMs });
  }
}

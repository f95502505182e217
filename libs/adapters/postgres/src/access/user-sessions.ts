import { type Caller, type Role, type Scope } from '@core/domain';
import { type Database } from '../sql/database.js';

export interface NewSession {
  tokenHash: string;
  caller: Caller;
  /** The latest end, however often the session is used. */
  lifeSeconds: number;
}

interface SessionRow {
  subject: string;
  name: string;
  role: Role;
  scope: Scope;
  isMember: boolean;
  gitlabUserId: number | null;
}

const IS_VALID = `expires_at > clock_timestamp() AND last_used_at > clock_timestamp() - $2 * interval '1 second'`;

/** Sessions of people by the SHA-256 hash of their cookie; the clear text is never stored. All pods share them. */
export class UserSessions {
  constructor(private readonly db: Database) {}

  /** Creates a session, and deletes those that have ended. */
  async create({ tokenHash, caller, lifeSeconds }: NewSession): Promise<void> {
    await this.db.query('DELETE FROM user_sessions WHERE expires_at < clock_timestamp()');
    await this.db.query(
      `INSERT INTO user_sessions (token_hash, subject, name, role, scope, is_member, gitlab_user_id, expires_at)
        VALUES ($1, $2, $3, $4, $5, $6, $7, clock_timestamp() + $8 * interval '1 second')`,
      [
        tokenHash,
        caller.id,
        caller.name,
        caller.role,
        caller.scope,
        caller.gitlabUserId !== undefined,
        caller.gitlabUserId ?? null,
        lifeSeconds,
      ],
    );
  }

  /** The person of a session; null when it is unknown or has ended. Records the use, at most once a minute. */
  async use(tokenHash: string, idleSeconds: number): Promise<Caller | null> {
    const row = await this.db.first<SessionRow>(
      `SELECT subject, name, role, scope, is_member, gitlab_user_id FROM user_sessions WHERE token_hash = $1 AND ${IS_VALID}`,
      [tokenHash, idleSeconds],
    );
    if (row === null) return null;
    await this.db.query(
      `UPDATE user_sessions SET last_used_at = clock_timestamp()
        WHERE token_hash = $1 AND ${IS_VALID} AND last_used_at < clock_timestamp() - interval '1 minute'`,
      [tokenHash, idleSeconds],
    );
    const { subject: id, name, role, scope, isMember, gitlabUserId } = row;
    return { id, name, role, scope, ...(isMember && { gitlabUserId }) };
  }

  /** Ends a session at once, on all pods. Safe to repeat. */
  async end(tokenHash: string): Promise<void> {
    await this.db.query('DELETE FROM user_sessions WHERE token_hash = $1', [tokenHash]);
  }
}

import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  errorFields,
  type Logger,
  type RefreshedTokens,
  RepotideError,
  throwIfAborted,
  type TokenRefresher,
  toRepotideError,
  untilAborted,
} from '@core/domain';
import { type Database } from '../sql/database.js';
import { assignments, storableMessage } from '../sql/rows.js';
import { findSealed, type SealedRow, WITH_NEW_SECRET } from './credential-rows.js';
import { type Keyring } from './keyring.js';
import { openSecret, sealSecret, type StoredSecret } from './secret.js';

export interface RefreshOptions {
  refresher: TokenRefresher;
  logger: Logger;
  /**
   * How long to wait for a refresh by another pod. Default 60 s: the request's time limit plus a restart of
   * the database.
   */
  claimSeconds?: number;
}

type OAuthSecret = Extract<StoredSecret, { kind: 'oauth' }>;

const CLAIM_SECONDS = 60;
const REQUEST_TIMEOUT_MS = 15_000;
const POLL_MS = 200;
/** New tokens that are not stored are lost for good, so storing is retried while the database restarts. */
const STORE_PATIENCE_MS = 60_000;
const STORE_RETRY_MS = 500;

/**
 * Refreshes OAuth grants once among all pods. The claim is stored in the row before the request and needs no
 * connection during it: a transaction held open over HTTP would reach its time limits, and waiting callers
 * would exhaust the pool.
 */
export class OAuthRefresh {
  private readonly inFlight = new Set<Promise<void>>();
  private readonly claimSeconds: number;

  constructor(
    private readonly db: Database,
    private readonly keyring: Keyring,
    private readonly options: RefreshOptions,
  ) {
    this.claimSeconds = options.claimSeconds ?? CLAIM_SECONDS;
  }

  /** Returns the row once its token is valid. Throws as `CredentialStore.tokenFor`. */
  async freshRow(credentialId: string, signal: AbortSignal): Promise<SealedRow> {
    let stale: SealedRow | null = null;
    for (;;) {
      throwIfAborted(signal);
      const row = await findSealed(this.db, credentialId, this.claimSeconds);
      if (row.needsLoginSince !== null) throw needsLogin(row, row.loginError ?? '');
      // A token that was just refreshed is used, however short its life.
      if (row.isFresh || (stale !== null && row.generation > stale.generation)) return row;
      if (row.isClaimed) {
        stale = row;
        await sleep(POLL_MS, undefined, { signal }).catch(() => undefined); // The loop throws the signal's reason.
        continue;
      }
      if (stale !== null && row.refreshClaim === null) throw refreshFailed(row);
      const secret = await this.oauthSecretOf(row);
      const claim = randomUUID();
      if (!(await this.claim(row, claim))) continue;
      stale = row;
      await untilAborted(this.track(this.refresh(row, secret, claim)), signal);
    }
  }

  async settled(): Promise<void> {
    await Promise.allSettled([...this.inFlight]);
  }

  /** Only one of the callers that read this row gets the claim: the condition compares the row again. */
  private claim({ id, generation, refreshClaim }: SealedRow, claim: string): Promise<boolean> {
    return this.db.has(
      `UPDATE credentials SET refresh_claim = $3, refresh_claimed_at = clock_timestamp()
        WHERE id = $1 AND generation = $2 AND refresh_claim IS NOT DISTINCT FROM $4 RETURNING id`,
      [id, generation, claim, refreshClaim],
    );
  }

  private async oauthSecretOf(row: SealedRow): Promise<OAuthSecret> {
    const secret = await openSecret(this.keyring, row, row);
    if (secret.kind === 'oauth') return secret;
    const message = `Credential ${row.id} is a token without refresh, but its row has an expiry time.`;
    throw new RepotideError('internal', 'credential_malformed', message);
  }

  private async refresh(row: SealedRow, secret: OAuthSecret, claim: string): Promise<void> {
    const { clientId, clientSecret, refreshToken } = secret;
    const grant = { baseUrl: row.baseUrl, clientId, clientSecret, refreshToken };
    let tokens: RefreshedTokens;
    try {
      tokens = await this.options.refresher.refresh(grant, AbortSignal.timeout(REQUEST_TIMEOUT_MS));
    } catch (thrown) {
      throw await this.recordFailure(row, claim, toRepotideError(thrown));
    }
    await this.store(row, secret, tokens);
    const fields = { credential_id: row.id, generation: row.generation + 1 };
    this.options.logger.info(fields, 'OAuth token refreshed');
  }

  /**
   * Checks the generation, not the claim: the tokens are valid however late they come, unless a new login
   * replaced them.
   */
  private async store(row: SealedRow, old: OAuthSecret, tokens: RefreshedTokens): Promise<void> {
    const { accessToken, refreshToken, expiresInSeconds } = tokens;
    const sealed = await sealSecret(this.keyring, row, { ...old, accessToken, refreshToken });
    const { sql, values } = assignments(sealed, 4);
    const patienceEnds = performance.now() + STORE_PATIENCE_MS;
    for (;;) {
      try {
        await this.db.query(
          `UPDATE credentials SET ${sql}, expires_at = clock_timestamp() + make_interval(secs => $3), ${WITH_NEW_SECRET}
            WHERE id = $1 AND generation = $2`,
          [row.id, row.generation, expiresInSeconds, ...values],
        );
        return;
      } catch (thrown) {
        const fields = { credential_id: row.id, ...errorFields(thrown) };
        if (performance.now() >= patienceEnds) {
          this.options.logger.error(fields, 'refreshed OAuth token lost: it could not be stored');
          throw thrown;
        }
        this.options.logger.warn(fields, 'refreshed OAuth token not stored; trying again');
        await sleep(STORE_RETRY_MS);
      }
    }
  }

  /** A rejected refresh token is never sent again; after any other failure it may still be valid. */
  private async recordFailure(row: SealedRow, claim: string, error: RepotideError): Promise<RepotideError> {
    const isUsedUp = error.code === 'oauth_grant_rejected';
    // An earlier claim existed: its pod died, or has the new tokens and will still store them over this.
    const reason = row.refreshClaim === null ? error.message : `${LOST_IN_CRASH} ${error.message}`;
    const fields = { credential_id: row.id, error_code: error.code, error: reason };
    this.options.logger.warn(fields, isUsedUp ? 'OAuth login needed' : 'OAuth token not refreshed');
    try {
      await this.db.query(
        `UPDATE credentials SET refresh_claim = NULL, refresh_claimed_at = NULL, login_error = $4::text,
          needs_login_since = CASE WHEN $4::text IS NOT NULL THEN clock_timestamp() END
          WHERE id = $1 AND generation = $2 AND refresh_claim = $3`,
        [row.id, row.generation, claim, isUsedUp ? storableMessage(reason) : null],
      );
    } catch (thrown) {
      // The claim expires by itself, and the next refresh gets the same answer.
      const trouble = { credential_id: row.id, ...errorFields(thrown) };
      this.options.logger.warn(trouble, 'failed OAuth refresh not recorded');
    }
    return isUsedUp ? needsLogin(row, reason, error) : error;
  }

  private track(work: Promise<void>): Promise<void> {
    this.inFlight.add(work);
    work.finally(() => this.inFlight.delete(work)).catch(() => undefined);
    return work;
  }
}

const LOST_IN_CRASH =
  'A pod ended after it sent the refresh token, which works once, and before it stored the new tokens.';

function needsLogin({ id, name }: SealedRow, reason: string, cause?: unknown): RepotideError {
  const message = `The credential "${name}" needs a new login at GitLab. ${reason} Then PATCH /api/v1/credentials/${id} with the new tokens.`;
  const options = { cause, details: { credential_id: id } };
  return new RepotideError('unauthorized', 'credential_needs_login', message, options);
}

function refreshFailed({ id, name }: SealedRow): RepotideError {
  const message = `The OAuth token of credential "${name}" could not be refreshed by the pod that tried. The log of that pod contains the reason. Try again.`;
  const details = { credential_id: id };
  return new RepotideError('temporary', 'credential_refresh_failed', message, { details });
}

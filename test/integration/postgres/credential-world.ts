import { randomUUID } from 'node:crypto';
import { createGitLabTokenRefresher } from '@adapters/gitlab';
import { CredentialStore, type Database } from '@adapters/postgres';
import { type NewCredential, type TokenRefresher } from '@core/domain';
import { type GitLabStandIn, type RequestRecord, type StandInGrant, startGitLabStandIn } from '@devkit';
import { recordingLogger, type RecordingLogger } from '../../support/recording-logger.js';
import { openStores, type Stores } from './fixtures.js';

const KEY = 'the present key of all pods';
export const refresher = createGitLabTokenRefresher({ requestTimeoutMs: 5_000, userAgent: 'repotide-test' });
export const signal = () => new AbortController().signal;

export interface Opening {
  db?: Database;
  /** Default: one refresher for all stores. */
  key?: string | undefined;
  previous?: string;
  refresher?: TokenRefresher;
  claimSeconds?: number;
}

/** Stores over a new database, and a GitLab that refreshes tokens. */
export interface CredentialWorld {
  stores: Stores;
  gitlab: GitLabStandIn;
  logger: RecordingLogger;
  /** Opens a credential store as one pod does. */
  open(options?: Opening): CredentialStore;
  refreshes(): RequestRecord[];
  /** Whether GitLab accepts the token now. */
  isAccepted(token: string): Promise<boolean>;
  /** Deletes the credentials and requests of a test. */
  clear(): Promise<void>;
  close(): Promise<void>;
}

export async function openCredentialWorld(): Promise<CredentialWorld> {
  const stores = await openStores();
  const gitlab = await startGitLabStandIn();
  const logger = recordingLogger();
  return {
    stores,
    gitlab,
    logger,
    open: ({ db, previous, claimSeconds, ...options } = {}) =>
      new CredentialStore(db ?? stores.db, {
        encryptionKey: 'key' in options ? options.key : KEY,
        refresher: options.refresher ?? refresher,
        logger,
        ...(previous === undefined ? {} : { previousEncryptionKey: previous }),
        ...(claimSeconds === undefined ? {} : { claimSeconds }),
      }),
    refreshes: () => gitlab.requests.filter(({ path }) => path === '/oauth/token'),
    async isAccepted(token) {
      const headers = { authorization: `Bearer ${token}` };
      const answer = await fetch(`${gitlab.url}/api/v4/projects/1`, { headers });
      return answer.status !== 401;
    },
    async clear() {
      gitlab.faults.clear();
      gitlab.resetLog();
      await stores.db.query('DELETE FROM repositories');
      await stores.db.query('DELETE FROM credentials');
    },
    async close() {
      await gitlab.stop();
      await stores.close();
    },
  };
}

export function newToken(name: string = randomUUID()): NewCredential {
  return { name, baseUrl: 'https://gitlab.example.com', kind: 'token', token: 'glpat-hush-hush' };
}

/** A grant that has expired, unless `expiresAt` says otherwise. */
export function newOAuth(
  baseUrl: string,
  grant: StandInGrant,
  expiresAt = new Date(Date.now() - 1_000),
): NewCredential {
  return { name: randomUUID(), baseUrl, kind: 'oauth', oauth: { ...grant, expiresAt } };
}

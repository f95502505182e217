import { type SyncLimits } from '@core/indexing';
import { type FaultEffect } from '@devkit';

/** Files in the repository; each commit changes `EDITED` of them. */
export const FILES = 24;
export const EDITED = 6;
/** Each call is retried twice in these tests. */
const TRIES = 3;
const NEVER = 1_000_000;
const page = (title: string) => `<html><head><title>${title}</title></head><body>${title}</body></html>`;
export const status = (code: number, more: object = {}): FaultEffect => ({
  kind: 'status',
  status: code,
  ...more,
});

/** The meaning of a response, for the whole host or only for the requested object. */
export type Class =
  'rate_limited' | 'temporary' | 'nonsense' | 'unauthorized' | 'forbidden' | 'missing' | 'redirect';

export const FAULTS: readonly (readonly [string, FaultEffect, Class])[] = [
  ['429 with Retry-After', status(429, { retryAfterSeconds: 3 }), 'rate_limited'],
  ['429 without Retry-After', status(429), 'rate_limited'],
  ['429 as a page', status(429, { body: page('Too many requests') }), 'rate_limited'],
  ['500', status(500), 'temporary'],
  ['502', status(502, { body: 'Bad Gateway' }), 'temporary'],
  ['502 as a page', status(502, { body: page('502 Bad Gateway') }), 'temporary'],
  ['a cut connection', { kind: 'cut' }, 'temporary'],
  ['a connection cut in the body', { kind: 'cut', afterBytes: 30 }, 'temporary'],
  ['a page with 200', status(200, { body: page('Sign in') }), 'nonsense'],
  ['an empty body with 200', { kind: 'truncate', keepBytes: 0 }, 'nonsense'],
  ['a body that ends in its middle', { kind: 'truncate', keepBytes: 45 }, 'nonsense'],
  ['401', status(401), 'unauthorized'],
  ['403', status(403), 'forbidden'],
  ['404', status(404), 'missing'],
  ['a redirect to a sign-in page', { kind: 'redirect', to: 'http://127.0.0.1:9' }, 'redirect'],
];

export type Outcome = readonly [status: string, errorCode: string | null, requests: number];

export interface Endpoint {
  url: RegExp;
  limits: Partial<SyncLimits>;
  /** The number of requests that succeed first. */
  after?: number;
  /** The result of a run when every response has this fault, and the number of requests to the endpoint. */
  ends: Readonly<Record<Class, Outcome>>;
}

/** No run works without this endpoint: the run fails, and is retried for temporary faults. */
const ENDS_THE_RUN: Readonly<Record<Class, Outcome>> = {
  rate_limited: ['queued', 'source_rate_limited', TRIES],
  temporary: ['queued', 'source_unavailable', TRIES],
  nonsense: ['failed', 'source_answer_invalid', 1],
  unauthorized: ['failed', 'source_token_rejected', 1],
  forbidden: ['failed', 'source_access_denied', 1],
  missing: ['failed', 'commit_not_found', 1],
  redirect: ['failed', 'source_redirect_refused', 1],
};
/** Another endpoint can replace this one: only faults that affect all endpoints end the run. */
const HAS_ANOTHER_WAY: Readonly<Record<Class, Outcome>> = {
  rate_limited: ['queued', 'source_rate_limited', TRIES],
  temporary: ['completed', null, TRIES],
  nonsense: ['completed', null, 1],
  unauthorized: ['failed', 'source_token_rejected', 1],
  forbidden: ['completed', null, 1],
  missing: ['completed', null, 1],
  redirect: ['completed', null, 1],
};

const COMPARED = { compareFromFiles: 0, archivePrice: NEVER };
export const LISTED = { compareFromFiles: NEVER, archivePrice: NEVER };

/** Endpoints that list the files. */
export const LISTING: Readonly<Record<string, Endpoint>> = {
  'the branch': {
    url: /repository\/branches/,
    limits: LISTED,
    ends: { ...ENDS_THE_RUN, missing: ['failed', 'branch_not_found', 1] },
  },
  'the first page of the tree': { url: /tree.*recursive=true/, limits: LISTED, ends: ENDS_THE_RUN },
  'a later page of the tree': { url: /tree.*recursive=true/, limits: LISTED, after: 2, ends: ENDS_THE_RUN },
};

/** Endpoints that list the changes and prove them. */
export const COMPARISON: Readonly<Record<string, Endpoint>> = {
  'the comparison': {
    url: /repository\/compare/,
    limits: COMPARED,
    // Not retried, because the listing replaces it.
    ends: { ...HAS_ANOTHER_WAY, temporary: ['completed', null, 1] },
  },
  'the root folder, which proves a comparison': {
    url: /tree.*recursive=false/,
    limits: COMPARED,
    // Without a proof the run lists the whole tree, which is proven by the same folder.
    ends: {
      ...ENDS_THE_RUN,
      temporary: ['queued', 'source_unavailable', 2 * TRIES],
      nonsense: ['failed', 'source_answer_invalid', 2],
      forbidden: ['failed', 'source_access_denied', 2],
      missing: ['failed', 'commit_not_found', 2],
      redirect: ['failed', 'source_redirect_refused', 2],
    },
  },
  'GraphQL, which looks blobs up and reads them': {
    url: /api\/graphql/,
    limits: COMPARED,
    // Reading retries after a temporary fault of the lookup; a refusal is not retried.
    ends: { ...HAS_ANOTHER_WAY, temporary: ['completed', null, 2 * TRIES], nonsense: ['completed', null, 2] },
  },
};

/** Endpoints that return file contents. */
export const CONTENTS: Readonly<Record<string, Endpoint>> = {
  'GraphQL, which reads blobs': { url: /api\/graphql/, limits: LISTED, ends: HAS_ANOTHER_WAY },
  'the archive': {
    url: /repository\/archive/,
    limits: { ...LISTED, archivePrice: -NEVER },
    // Hosts allow few archives: a rate limit ends their use, and any other failure is retried once.
    ends: {
      ...HAS_ANOTHER_WAY,
      rate_limited: ['completed', null, 1],
      temporary: ['completed', null, 2],
      nonsense: ['completed', null, 2],
    },
  },
  'a blob': {
    url: /repository\/blobs/,
    limits: { ...LISTED, batchFromFiles: NEVER, fetchConcurrency: 1 },
    // The last strategy: a failure here fails the file.
    ends: {
      rate_limited: ['queued', 'source_rate_limited', TRIES],
      temporary: ['partial', 'files_failed', TRIES * EDITED],
      nonsense: ['partial', 'files_failed', EDITED],
      unauthorized: ['failed', 'source_token_rejected', 1],
      forbidden: ['failed', 'source_access_denied', 1],
      missing: ['partial', 'files_failed', EDITED],
      redirect: ['partial', 'files_failed', EDITED],
    },
  },
};

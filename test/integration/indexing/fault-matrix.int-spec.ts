import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { createLexicalEmbedder } from '@adapters/embedding';
import { type SyncLimits } from '@core/indexing';
import { type Fault, type FaultEffect } from '@devkit';
import {
  createSyncWorld,
  findDifferences,
  NO_DIFFERENCES,
  sourceText,
  type SyncWorld,
} from '../../support/sync-world.js';
import { Truth } from './histories/truth.js';

const FILES = 60;
const EDITED = 12;
/** A call is repeated twice in these worlds. */
const TRIES = 3;
const NEVER = 1_000_000;
const page = (title: string) => `<html><head><title>${title}</title></head><body>${title}</body></html>`;
const status = (code: number, more: object = {}): FaultEffect => ({ kind: 'status', status: code, ...more });

/** What an answer says of the whole host, or only of what was asked for. */
type Class =
  'rate_limited' | 'temporary' | 'nonsense' | 'unauthorized' | 'forbidden' | 'missing' | 'redirect';

const FAULTS: readonly (readonly [string, FaultEffect, Class])[] = [
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

type Outcome = readonly [status: string, errorCode: string | null, requests: number];

interface Endpoint {
  url: RegExp;
  limits: Partial<SyncLimits>;
  /** Requests that pass first. */
  after?: number;
  /** How a run ends when the endpoint answers like this for good, and how often it was asked. */
  ends: Readonly<Record<Class, Outcome>>;
}

/** Nothing can be had without it: the run ends, and is repeated where that may help. */
const ENDS_THE_RUN: Readonly<Record<Class, Outcome>> = {
  rate_limited: ['queued', 'source_rate_limited', TRIES],
  temporary: ['queued', 'source_unavailable', TRIES],
  nonsense: ['failed', 'source_answer_invalid', 1],
  unauthorized: ['failed', 'source_token_rejected', 1],
  forbidden: ['failed', 'source_access_denied', 1],
  missing: ['failed', 'commit_not_found', 1],
  redirect: ['failed', 'source_redirect_refused', 1],
};
/** There is another way: only what every way would meet ends the run. */
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
const LISTED = { compareFromFiles: NEVER, archivePrice: NEVER };

const ENDPOINTS: Readonly<Record<string, Endpoint>> = {
  'the branch': {
    url: /repository\/branches/,
    limits: LISTED,
    ends: { ...ENDS_THE_RUN, missing: ['failed', 'branch_not_found', 1] },
  },
  'the first page of the tree': { url: /tree.*recursive=true/, limits: LISTED, ends: ENDS_THE_RUN },
  'a later page of the tree': { url: /tree.*recursive=true/, limits: LISTED, after: 2, ends: ENDS_THE_RUN },
  'the comparison': {
    url: /repository\/compare/,
    limits: COMPARED,
    // Asked once: the listing is the other way.
    ends: { ...HAS_ANOTHER_WAY, temporary: ['completed', null, 1] },
  },
  'the root folder, which proves a comparison': {
    url: /tree.*recursive=false/,
    limits: COMPARED,
    // What cannot be proven is listed whole, and that is proven by the same folder.
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
    // The reading tries what the looking up has found broken; what refuses is asked no more.
    ends: { ...HAS_ANOTHER_WAY, temporary: ['completed', null, 2 * TRIES], nonsense: ['completed', null, 2] },
  },
  'GraphQL, which reads blobs': { url: /api\/graphql/, limits: LISTED, ends: HAS_ANOTHER_WAY },
  'the archive': {
    url: /repository\/archive/,
    limits: { ...LISTED, archivePrice: -NEVER },
    // Hosts grant few: a limit of its own closes it, and what broke is asked for once more.
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
    // The last way: what it cannot bring fails the file.
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

let world: SyncWorld;
let truth: Truth;
let edits = 0;

const pathOf = (number: number) => `src/part${number % 3}/file${number}.ts`;

async function open(limits: Partial<SyncLimits>, requestTimeoutMs: number): Promise<void> {
  world = await createSyncWorld({ syncLimits: limits, vectors: 'qdrant', requestTimeoutMs });
  truth = new Truth(world, createLexicalEmbedder());
  world.gitlab.settings.maxTreePageSize = 20;
  // Many runs a minute are no part of any case.
  world.gitlab.settings.rateLimits.archive = null;
  for (let number = 0; number < FILES; number++)
    world.git.write(pathOf(number), sourceText(`first${number}`, 12));
  await world.git.commit();
  expect(await world.sync()).toMatchObject({ status: 'completed', filesAdded: FILES });
}

async function push(): Promise<void> {
  edits++;
  for (let number = 0; number < EDITED; number++)
    world.git.write(pathOf(number), sourceText(`edit${edits}of${number}`, 12));
  await world.git.commit();
}

/** Syncs under a fault, sees that nothing is lost and nothing false is stored, and that the next run is exact. */
async function syncUnder(fault: Fault): Promise<Outcome> {
  await push();
  const before = await world.points();
  const repair = world.gitlab.faults.add(fault);
  const run = await world.sync();
  const asked = world.gitlab.requests.filter((request) => request.fault !== null).length;
  repair();
  await expectNothingLost(before.map(({ id }) => id));
  if (run.status === 'queued') await world.executions.requestCancel(run.id);
  else if (run.status === 'completed') expect(await findDifferences(world)).toEqual(NO_DIFFERENCES);
  if (run.status !== 'completed' && run.status !== 'partial')
    expect((await world.repository()).lastSyncedCommit).not.toBe(await world.git.head());
  expect(await world.sync()).toMatchObject({ status: 'completed' });
  expect(await findDifferences(world)).toEqual(NO_DIFFERENCES);
  return [run.status, run.errorCode, asked];
}

async function expectNothingLost(before: readonly string[]): Promise<void> {
  const after = await world.points();
  const paths = new Set(after.map(({ path }) => path));
  expect(paths.size).toBe(FILES);
  const kept = new Set(after.map(({ id }) => id));
  const edited = new Set(Array.from({ length: EDITED }, (_, number) => pathOf(number)));
  // Only edited files' points may have been replaced, by those of their new content.
  expect(before.filter((id) => !kept.has(id)).length).toBe(
    after.filter(({ id, path }) => edited.has(path) && !before.includes(id)).length,
  );
  expect(await truth.falsePoints()).toEqual([]);
}

describe.each(Object.entries(ENDPOINTS))('%s answered for good by', (_name, { url, limits, after, ends }) => {
  beforeAll(() => open(limits, 30_000));
  afterAll(() => world.stop());

  it.each(FAULTS)('%s', async (_fault, effect, faultClass) => {
    const outcome = await syncUnder({ url, effect, ...(after === undefined ? {} : { after }) });
    expect(outcome).toEqual(ends[faultClass]);
  });

  it.each(FAULTS.filter(([, , faultClass]) => ['rate_limited', 'temporary'].includes(faultClass)))(
    '%s, but only once',
    async (_fault, effect) => {
      const fault = { url, effect, times: 1, ...(after === undefined ? {} : { after }) };
      expect(await syncUnder(fault)).toEqual(['completed', null, 1]);
    },
  );
});

describe('a page of the tree that was cut as if it were the last', () => {
  beforeAll(() => open(LISTED, 30_000));
  afterAll(() => world.stop());
  const url = /tree.*recursive=true/;

  it.each<[string, FaultEffect]>([
    ['an empty one', status(200, { body: [] })],
    ['one of a single file', status(200, { body: [treeEntry('src/part0/file0.ts')] })],
    ['one of a file that never was', status(200, { body: [treeEntry('src/part9/file0.ts')] })],
  ])('%s deletes nothing', async (_fault, effect) => {
    expect((await syncUnder({ url, effect, after: 2 })).slice(0, 2)).toEqual([
      'queued',
      'listing_incomplete',
    ]);
    expect(await syncUnder({ url, effect, after: 2, times: 1 })).toEqual(['completed', null, 1]);
  });

  it('deletes nothing where nobody can be asked whether the files are gone', async () => {
    const closed = [/graphql/, /tree.*[?&]path=/].map((other) =>
      world.gitlab.faults.add({ url: other, effect: status(403) }),
    );
    const fault = { url, effect: status(200, { body: [] }), after: 2 };
    expect((await syncUnder(fault)).slice(0, 2)).toEqual(['failed', 'source_access_denied']);
    for (const open of closed) open();
  });
});

describe('a page of the first listing that was cut as if it were the last', () => {
  beforeEach(async () => {
    world = await createSyncWorld({ syncLimits: LISTED, vectors: 'qdrant' });
    world.gitlab.settings.maxTreePageSize = 20;
    for (let number = 0; number < FILES; number++)
      world.git.write(pathOf(number), sourceText(`first${number}`, 12));
    await world.git.commit();
  });
  afterEach(() => world.stop());

  it.each<[string, Fault]>([
    ['the first one', { effect: status(200, { body: [] }) }],
    ['a later one', { effect: status(200, { body: [] }), after: 2 }],
  ])('%s is noticed: no run says completed of a part', async (_which, fault) => {
    const repair = world.gitlab.faults.add({ url: /tree.*recursive=true/, ...fault });
    const run = await world.sync();
    expect(run).toMatchObject({ status: 'queued', errorCode: 'listing_incomplete' });
    expect((await world.repository()).lastSyncedCommit).toBeNull();
    await world.executions.requestCancel(run.id);
    repair();
    expect(await world.sync()).toMatchObject({ status: 'completed', filesAdded: FILES });
    expect(await findDifferences(world)).toEqual(NO_DIFFERENCES);
  });

  it('is listed again when it was but once', async () => {
    const effect = status(200, { body: [] });
    world.gitlab.faults.add({ url: /tree.*recursive=true/, effect, after: 1, times: 1 });
    expect(await world.sync()).toMatchObject({ status: 'completed', filesAdded: FILES });
    expect(await findDifferences(world)).toEqual(NO_DIFFERENCES);
  });
});

function treeEntry(path: string): object {
  return { id: 'a'.repeat(40), name: path, path, type: 'blob', mode: '100644' };
}

describe.each(Object.entries(ENDPOINTS))('%s that is slow:', (_name, { url, limits, after }) => {
  // Short enough to wait for, so that nothing but the fault may need as long.
  beforeAll(() => open(limits, 300));
  afterAll(() => world.stop());

  it.each<[string, FaultEffect]>([
    ['silence', { kind: 'stall' }],
    ['silence in the body', { kind: 'stall', afterBytes: 20 }],
    ['a slow drip', { kind: 'drip', chunkBytes: 1, everyMs: 100 }],
  ])('%s ends, and costs nothing but time', async (_fault, effect) => {
    const fault = { url, effect, times: 1, ...(after === undefined ? {} : { after }) };
    expect((await syncUnder(fault)).slice(0, 2)).toEqual(['completed', null]);
  });
});

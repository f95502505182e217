import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { type Fault, type FaultEffect } from '@devkit';
import { findDifferences, NO_DIFFERENCES, type SyncWorld } from '../../../support/sync-world.js';
import { openFaultWorld, openUnsyncedWorld, type FaultWorld } from './fault-world.js';
import { FILES, LISTED, LISTING, status } from './outcomes.js';
import { playFaults } from './play-faults.js';

playFaults(LISTING);

describe('a page of the tree that was cut as if it were the last', () => {
  let world: FaultWorld;
  beforeAll(async () => (world = await openFaultWorld(LISTED, 30_000)));
  afterAll(() => world.stop());
  const url = /tree.*recursive=true/;

  it.each<[string, FaultEffect]>([
    ['an empty one', status(200, { body: [] })],
    ['one of a single file', status(200, { body: [treeEntry('src/part0/file0.ts')] })],
    ['one of a file that never was', status(200, { body: [treeEntry('src/part9/file0.ts')] })],
  ])('%s deletes nothing', async (_fault, effect) => {
    expect((await world.syncUnder({ url, effect, after: 2 })).slice(0, 2)).toEqual([
      'queued',
      'listing_incomplete',
    ]);
    expect(await world.syncUnder({ url, effect, after: 2, times: 1 })).toEqual(['completed', null, 1]);
  });

  it('deletes nothing where nobody can be asked whether the files are gone', async () => {
    const closed = [/graphql/, /tree.*[?&]path=/].map((other) =>
      world.gitlab.faults.add({ url: other, effect: status(403) }),
    );
    const fault = { url, effect: status(200, { body: [] }), after: 2 };
    expect((await world.syncUnder(fault)).slice(0, 2)).toEqual(['failed', 'source_access_denied']);
    for (const open of closed) open();
  });
});

describe('a page of the first listing that was cut as if it were the last', () => {
  let world: SyncWorld;
  beforeEach(async () => (world = await openUnsyncedWorld({ syncLimits: LISTED })));
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

import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { type Fault, type FaultEffect } from '@devkit';
import { findDifferences, NO_DIFFERENCES, type SyncWorld } from '../../../support/sync-world.js';
import { openFaultWorld, openUnsyncedWorld, type FaultWorld } from './fault-world.js';
import { FILES, LISTED, LISTING, status } from './outcomes.js';
import { playFaults } from './play-faults.js';

playFaults(LISTING);

describe('a later page of the tree that wrongly looks like the last', () => {
  let world: FaultWorld;
  beforeAll(async () => (world = await openFaultWorld(LISTED, 30_000)));
  afterAll(() => world.stop());
  const url = /tree.*recursive=true/;

  it.each<[string, FaultEffect]>([
    ['an empty page', status(200, { body: [] })],
    ['a page with one file', status(200, { body: [treeEntry('src/part0/file0.ts')] })],
    ['a page with an unknown file', status(200, { body: [treeEntry('src/part9/file0.ts')] })],
  ])('%s deletes nothing', async (_fault, effect) => {
    expect((await world.syncUnder({ url, effect, after: 2 })).slice(0, 2)).toEqual([
      'queued',
      'listing_incomplete',
    ]);
    expect(await world.syncUnder({ url, effect, after: 2, times: 1 })).toEqual(['completed', null, 1]);
  });

  it('deletes nothing when no other request can confirm that the files were deleted', async () => {
    const closed = [/graphql/, /tree.*[?&]path=/].map((other) =>
      world.gitlab.faults.add({ url: other, effect: status(403) }),
    );
    const fault = { url, effect: status(200, { body: [] }), after: 2 };
    expect((await world.syncUnder(fault)).slice(0, 2)).toEqual(['failed', 'source_access_denied']);
    for (const open of closed) open();
  });
});

describe('a page of the first listing that wrongly looks like the last', () => {
  let world: SyncWorld;
  beforeEach(async () => (world = await openUnsyncedWorld({ syncLimits: LISTED })));
  afterEach(() => world.stop());

  it.each<[string, Fault]>([
    ['the first page', { effect: status(200, { body: [] }) }],
    ['a later page', { effect: status(200, { body: [] }), after: 2 }],
  ])('%s is detected: no run completes with a part of the files', async (_which, fault) => {
    const repair = world.gitlab.faults.add({ url: /tree.*recursive=true/, ...fault });
    const run = await world.sync();
    expect(run).toMatchObject({ status: 'queued', errorCode: 'listing_incomplete' });
    expect((await world.repository()).lastSyncedCommit).toBeNull();
    await world.executions.requestCancel(run.id);
    repair();
    expect(await world.sync()).toMatchObject({ status: 'completed', filesAdded: FILES });
    expect(await findDifferences(world)).toEqual(NO_DIFFERENCES);
  });

  it('is listed again when the fault occurs once', async () => {
    const effect = status(200, { body: [] });
    world.gitlab.faults.add({ url: /tree.*recursive=true/, effect, after: 1, times: 1 });
    expect(await world.sync()).toMatchObject({ status: 'completed', filesAdded: FILES });
    expect(await findDifferences(world)).toEqual(NO_DIFFERENCES);
  });
});

function treeEntry(path: string): object {
  return { id: 'a'.repeat(40), name: path, path, type: 'blob', mode: '100644' };
}

import { setTimeout as sleep } from 'node:timers/promises';
import { createDiscoveryStore } from '@adapters/postgres';
import { type DiscoveryStore } from '@core/domain';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { addRepository, openStores, type Stores } from './fixtures.js';

const FIRST = '00000000-0000-4000-8000-000000000001';
const LAST = 'ffffffff-ffff-4fff-bfff-ffffffffffff';

let stores: Stores;
let discoveries: DiscoveryStore;
let discoveryId: string;

beforeAll(async () => {
  stores = await openStores();
  discoveries = createDiscoveryStore(stores.db);
  discoveryId = await addDiscovery('all');
  // The last id is stored before the first, so code that locks rows in table order uses the wrong order.
  for (const id of [LAST, FIRST]) {
    const added = await addRepository(stores);
    await stores.db.query('UPDATE repositories SET id = $2, discovery_id = $3 WHERE id = $1', [
      added.id,
      id,
      discoveryId,
    ]);
  }
});
afterAll(() => stores.close());

async function addDiscovery(name: string): Promise<string> {
  const [row] = await stores.db.query<{ id: string }>(
    `INSERT INTO discoveries (name, base_url, include_subgroups, members_only, include_projects, exclude_projects,
        branches, archived_projects, collection_name, include_globs, exclude_globs, max_file_bytes, chunk_size,
        chunk_overlap, schedule_timezone, cron_expression, timezone, is_active, grace_hours)
      VALUES ($1, 'https://gitlab.example.com', true, false, '{}', '{}', '{}', 'exclude', 'code', '{}', '{}', 1, 2, 1,
        'UTC', '0 * * * *', 'UTC', true, 24) RETURNING id`,
    [name],
  );
  return row!.id;
}

/** Whether `work` locks the last repository while it waits for the first: two such transactions deadlock. */
async function holdsLastWhileItWaits(work: () => Promise<unknown>): Promise<boolean> {
  let done: Promise<unknown> = Promise.resolve();
  const isHeld = await stores.db.transaction(async (tx) => {
    await tx.query('SELECT 1 FROM repositories WHERE id = $1 FOR NO KEY UPDATE', [FIRST]);
    done = work();
    await someoneWaits();
    const free = await stores.db.query(
      'SELECT 1 FROM repositories WHERE id = $1 FOR NO KEY UPDATE SKIP LOCKED',
      [LAST],
    );
    return free.length === 0;
  });
  await done;
  return isHeld;
}

async function someoneWaits(): Promise<void> {
  for (;;) {
    const waiting = await stores.db.query(
      `SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
    );
    if (waiting.length > 0) return;
    await sleep(10);
  }
}

describe('repositories are locked in the order of their ids', () => {
  it('when a discovery stores its findings', async () => {
    await discoveries.enqueue({ discoveryId, force: false, requestedBy: null });
    const { run } = (await discoveries.claim('pod-1'))!;
    const seen = [FIRST, LAST].map((id) => ({ id, projectPath: 'group/renamed' }));
    expect(await holdsLastWhileItWaits(() => discoveries.recordListing(run, seen, []))).toBe(false);
    expect(await holdsLastWhileItWaits(() => discoveries.recordListing(run, [], seen))).toBe(false);
  });

  it('when the active generation is switched', async () => {
    const model = { modelId: 'other', dimensions: 8, modelServer: null };
    const built = await stores.generations.open('code', () => ({ kind: 'make', model, status: 'building' }));
    expect(await holdsLastWhileItWaits(() => stores.generations.activate(built.id))).toBe(false);
  });

  it('when a discovery is deleted', async () => {
    expect(await holdsLastWhileItWaits(() => discoveries.softDelete(discoveryId))).toBe(false);
  });
});

describe('a discovery is locked before its run', () => {
  it('when it is deleted, as when a run is requested', async () => {
    const deletedId = await addDiscovery('to be deleted');
    const run = await discoveries.enqueue({ discoveryId: deletedId, force: false, requestedBy: null });
    let done: Promise<unknown> = Promise.resolve();
    const free = await stores.db.transaction(async (tx) => {
      await tx.query('SELECT 1 FROM discoveries WHERE id = $1 FOR NO KEY UPDATE', [deletedId]);
      done = discoveries.softDelete(deletedId);
      await someoneWaits();
      return stores.db.query('SELECT 1 FROM discovery_runs WHERE id = $1 FOR NO KEY UPDATE SKIP LOCKED', [
        run.id,
      ]);
    });
    await done;
    expect(free).toHaveLength(1);
    expect(await discoveries.findRun(deletedId, run.id)).toMatchObject({
      status: 'failed',
      errorCode: 'discovery_deleted',
    });
  });
});

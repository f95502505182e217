import { Random } from '@devkit';
import { expect, it } from '@jest/globals';
import { isLongForm } from '../../../support/long-form.js';
import { judgeTicks } from './judge-ticks.js';
import { World } from './world.js';

const MINUTE = 60_000;
/** Steps of the clock: within the grace, across ticks, past the grace, and one that leaves a long backlog. */
const STEPS = [1, 3, 7, 45, 2, 130, 5, 20, 61, 4, 12, 400, 9, 90, 1, 33].map((minutes) => minutes * MINUTE);
const REPOSITORIES = isLongForm ? 120 : 40;
/** Before changes of clocks: Europe's; North America's; Lord Howe's, half an hour; Europe's and Greenland's in autumn. */
const STARTS = ['2026-03-28T09:00Z', '2026-03-07T10:30Z', '2026-04-04T01:00Z', '2026-10-24T12:00Z'];
const LONG = STARTS.flatMap((start, seed) => [
  { start, seed, least: 30_000 },
  { start, seed: seed + 100, least: 30_000 },
]);
const WORLDS = isLongForm ? LONG : [{ start: STARTS[0]!, seed: 1, least: 2_000 }];

it.each(WORLDS)(
  'pods under aborted claims, edits and clock steps give each tick one row (from $start, seed $seed)',
  async ({ start, seed, least }) => {
    const random = new Random(seed);
    const world = await World.open(random);
    try {
      const from = Date.parse(start);
      let now = from;
      await world.setClock(now);
      for (let count = 0; count < REPOSITORIES; count++) await world.addRepository(now);
      for (let round = 0; round < STEPS.length || (await tickCount(world)) < least; round++) {
        now += STEPS[round % STEPS.length]!;
        // Sometimes no pod claims: runs start and users edit what is due.
        const isClaiming = round % 5 !== 2;
        // While the clock moves, and also back, only claims are in progress.
        const claiming = isClaiming ? world.claim() : null;
        await world.setClock(now);
        if (round % 3 === 0) await world.setClock(now - random.below(120) * MINUTE);
        if (round % 4 === 1) await world.terminateSessions();
        await claiming;
        await world.reconnect();
        await world.setClock(now);
        await world.work(0.6);
        if (round % 2 === 0 && isClaiming) await world.claim();
        await world.work(0.6);
        await Promise.all([world.edit(now, REPOSITORIES / 2), isClaiming && world.claim()]);
        while (world.repositoryCount < REPOSITORIES) await world.addRepository(now);
      }
      await world.claim();
      for (let turn = 0; turn < 3; turn++) await world.work(1);
      const { ticks, outcomes, violations } = await judgeTicks(world.observer, world.edits, from, now);
      if (isLongForm)
        process.stderr.write(`${start} seed ${seed}: ${ticks} ticks ${JSON.stringify(outcomes)}\n`);
      expect(violations.slice(0, 20)).toEqual([]);
      expect(ticks).toBeGreaterThanOrEqual(least);
      const kinds = ['run', 'coalesced', 'satisfied', 'overlap', 'missed', 'superseded'];
      const kindsAndBacklog = [...kinds, expect.stringMatching(/^backlog/)];
      expect(Object.keys(outcomes)).toEqual(expect.arrayContaining(kindsAndBacklog));
      // In the short form the sessions may end between two claims.
      if (isLongForm) expect(world.abortedClaims).toBeGreaterThan(0);
    } finally {
      await world.close();
    }
  },
  isLongForm ? 900_000 : 120_000,
);

/** Ticks with a row, and those of backlogs. */
async function tickCount({ observer }: World): Promise<number> {
  const [row] = await observer.query<{ count: number }>(
    `SELECT count(*) + COALESCE(sum(coalesced_count) FILTER (WHERE scheduled_until IS NOT NULL), 0) AS count
      FROM schedule_execution_logs WHERE scheduled_for IS NOT NULL`,
  );
  return Number(row!.count);
}

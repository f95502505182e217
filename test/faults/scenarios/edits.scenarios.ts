import { setTimeout as sleep } from 'node:timers/promises';
import { EVERYWHERE, type Scenario } from './scenario.js';

const PER_MINUTE = 100;
const EXPRESSIONS = ['* * * * *', '*/2 * * * *', '*/3 * * * *', '1,2,3,5,8,13,21,34,55 * * * *'];

export const edits: Scenario = {
  name: 'edits',
  promise: 'No run starts under an old revision while one pod makes 100 edits a minute and the others claim',
  modes: EVERYWHERE,
  pods: 4,
  branches: 20,
  timings: 'production',
  minutes: 4,
  expression: '* * * * *',
  isCoincident: true,
  mayMiss: ['I8', 'G5'],
  async play({ cluster, fleet, random, minutes, expect }) {
    const editor = cluster.slots[0]!;
    const end = Date.now() + minutes * 60_000;
    const deeds: Record<string, number> = {};
    for (let beat = Date.now(); beat < end; beat += 60_000 / PER_MINUTE) {
      await sleep(Math.max(0, beat - Date.now()));
      const path = `/schedules/${random.pick(fleet.pick(random).scheduleIds)}`;
      const what = random.pick(['edit', 'edit', 'edit', 'pause', 'resume', 'resume']);
      const { status } =
        what === 'edit'
          ? await cluster.api('PATCH', path, { cron_expression: random.pick(EXPRESSIONS) }, editor)
          : await cluster.api('POST', `${path}/${what}`, {}, editor);
      expect.check(status === 200, () => `${what} was answered with ${status}`);
      deeds[what] = (deeds[what] ?? 0) + 1;
    }
    return deeds;
  },
};

import { type ExecutionTrigger } from '@core/domain';
import { describe, expect, it } from '@jest/globals';
import { WorkerSlots } from './worker-slots.js';

/** A worker with these runs, each written as trigger and host. */
function worker(concurrency: number, ...runs: [ExecutionTrigger, string][]): WorkerSlots {
  const slots = new WorkerSlots(concurrency);
  runs.forEach(([trigger, baseUrl], number) => slots.begin(String(number), { trigger, baseUrl }));
  return slots;
}

describe('WorkerSlots', () => {
  it('takes the oldest of all executions while scheduled runs leave a slot beside the reserved one', () => {
    expect(worker(5).takeBy()).toEqual([{ onlyManual: false, fullHosts: [] }]);
    expect(worker(5, ['cron', 'a'], ['webhook', 'b'], ['recovery', 'c']).takeBy()).toEqual([
      { onlyManual: false, fullHosts: [] },
    ]);
  });

  it('takes only manual runs into the last of five slots', () => {
    const four: [ExecutionTrigger, string][] = [
      ['cron', 'a'],
      ['cron', 'b'],
      ['webhook', 'c'],
      ['recovery', 'd'],
    ];
    expect(worker(5, ...four).takeBy()).toEqual([{ onlyManual: true, fullHosts: [] }]);
    expect(worker(5, ...four, ['manual', 'a']).takeBy()).toEqual([]);
  });

  it('leaves the slots of scheduled runs to them while manual runs use the reserved one', () => {
    const runs: [ExecutionTrigger, string][] = [
      ['manual', 'a'],
      ['cron', 'b'],
      ['cron', 'c'],
      ['cron', 'd'],
    ];
    expect(worker(5, ...runs).takeBy()).toEqual([{ onlyManual: false, fullHosts: [] }]);
  });

  it('leaves a slot beside the reserved one to other hosts, and takes manual runs of the slow host', () => {
    const three: [ExecutionTrigger, string][] = [
      ['cron', 'slow'],
      ['cron', 'slow'],
      ['cron', 'slow'],
    ];
    expect(worker(5, ...three).takeBy()).toEqual([
      { onlyManual: false, fullHosts: ['slow'] },
      { onlyManual: true, fullHosts: [] },
    ]);
  });

  it('reserves nothing below three slots', () => {
    expect(worker(2, ['cron', 'a']).takeBy()).toEqual([{ onlyManual: false, fullHosts: ['a'] }]);
    expect(worker(1).takeBy()).toEqual([{ onlyManual: false, fullHosts: [] }]);
    expect(worker(1, ['cron', 'a']).takeBy()).toEqual([]);
  });

  it('gives the slot of an ended run to the next one', () => {
    const slots = worker(1, ['cron', 'a']);
    slots.end('0');
    expect(slots.takeBy()).toEqual([{ onlyManual: false, fullHosts: [] }]);
  });
});

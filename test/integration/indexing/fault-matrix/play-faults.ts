import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type FaultEffect } from '@devkit';
import { openFaultWorld, type FaultWorld } from './fault-world.js';
import { FAULTS, type Endpoint } from './outcomes.js';

/** Describes every fault of every endpoint. In several files over this one, so that they run beside each other. */
export function playFaults(endpoints: Readonly<Record<string, Endpoint>>): void {
  describe.each(Object.entries(endpoints))('%s answered for good by', (_name, endpoint) => {
    const { url, limits, after, ends } = endpoint;
    let world: FaultWorld;
    beforeAll(async () => (world = await openFaultWorld(limits, 30_000)));
    afterAll(() => world.stop());

    it.each(FAULTS)('%s', async (_fault, effect, faultClass) => {
      const outcome = await world.syncUnder({ url, effect, ...(after === undefined ? {} : { after }) });
      expect(outcome).toEqual(ends[faultClass]);
    });

    it.each(FAULTS.filter(([, , faultClass]) => ['rate_limited', 'temporary'].includes(faultClass)))(
      '%s, but only once',
      async (_fault, effect) => {
        const fault = { url, effect, times: 1, ...(after === undefined ? {} : { after }) };
        expect(await world.syncUnder(fault)).toEqual(['completed', null, 1]);
      },
    );
  });

  describe.each(Object.entries(endpoints))('%s that is slow:', (_name, { url, limits, after }) => {
    let world: FaultWorld;
    // Short enough to wait for, so that nothing but the fault may need as long.
    beforeAll(async () => (world = await openFaultWorld(limits, 300)));
    afterAll(() => world.stop());

    it.each<[string, FaultEffect]>([
      ['silence', { kind: 'stall' }],
      ['silence in the body', { kind: 'stall', afterBytes: 20 }],
      ['a slow drip', { kind: 'drip', chunkBytes: 1, everyMs: 100 }],
    ])('%s ends, and costs nothing but time', async (_fault, effect) => {
      const fault = { url, effect, times: 1, ...(after === undefined ? {} : { after }) };
      expect((await world.syncUnder(fault)).slice(0, 2)).toEqual(['completed', null]);
    });
  });
}

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type FaultEffect } from '@devkit';
import { openFaultWorld, type FaultWorld } from './fault-world.js';
import { isLongForm } from '../../../support/long-form.js';
import { FAULTS, type Endpoint } from './outcomes.js';

/** The short form plays the first fault of each class. */
const PLAYED = isLongForm
  ? FAULTS
  : FAULTS.filter(([, , ofClass], at) => FAULTS.findIndex(([, , other]) => other === ofClass) === at);

const SLOW: readonly (readonly [string, FaultEffect])[] = [
  ['silence in the body', { kind: 'stall', afterBytes: 20 }],
  ['silence', { kind: 'stall' }],
  ['a slow drip', { kind: 'drip', chunkBytes: 1, everyMs: 100 }],
];

/** Describes the faults of every endpoint. Several files call this, so that they run in parallel. */
export function playFaults(endpoints: Readonly<Record<string, Endpoint>>): void {
  describe.each(Object.entries(endpoints))('a run whose requests for %s always meet', (_name, endpoint) => {
    const { url, limits, after, ends } = endpoint;
    let world: FaultWorld;
    beforeAll(async () => (world = await openFaultWorld(limits, 30_000)));
    afterAll(() => world.stop());

    it.each(PLAYED)('%s ends as expected for this class of fault', async (_fault, effect, faultClass) => {
      const outcome = await world.syncUnder({ url, effect, ...(after === undefined ? {} : { after }) });
      expect(outcome).toEqual(ends[faultClass]);
    });

    it.each(PLAYED.filter(([, , faultClass]) => ['rate_limited', 'temporary'].includes(faultClass)))(
      '%s completes when it meets the fault only once',
      async (_fault, effect) => {
        const fault = { url, effect, times: 1, ...(after === undefined ? {} : { after }) };
        expect(await world.syncUnder(fault)).toEqual(['completed', null, 1]);
      },
    );
  });

  describe.each(Object.entries(endpoints))(
    'a run whose request for %s meets',
    (_name, { url, limits, after }) => {
      let world: FaultWorld;
      // Short enough to wait for, but longer than any normal request on a busy machine.
      beforeAll(async () => (world = await openFaultWorld(limits, 2_000)));
      afterAll(() => world.stop());

      it.each(isLongForm ? SLOW : SLOW.slice(0, 1))(
        '%s repeats it after the time limit and completes',
        async (_fault, effect) => {
          const fault = { url, effect, times: 1, ...(after === undefined ? {} : { after }) };
          expect((await world.syncUnder(fault)).slice(0, 2)).toEqual(['completed', null]);
        },
      );
    },
  );
}

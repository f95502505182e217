import { expect, it } from '@jest/globals';
import { Loop } from './loop.js';

function setUp() {
  const ends: (() => void)[] = [];
  const loop = new Loop(() => new Promise<void>((resolve) => ends.push(resolve)));
  const endRound = async (): Promise<void> => {
    ends.at(-1)!();
    await new Promise(setImmediate);
  };
  return { loop, endRound, rounds: () => ends.length };
}

it('a round that is requested during a round joins it', async () => {
  const { loop, endRound, rounds } = setUp();
  const both = Promise.all([loop.run(), loop.run()]);
  await endRound();
  await both;
  expect(rounds()).toBe(1);
});

it('any number of wake-ups during a round lead to one more round', async () => {
  const { loop, endRound, rounds } = setUp();
  loop.wake();
  loop.wake();
  loop.wake();
  expect(rounds()).toBe(1);
  await endRound();
  expect(rounds()).toBe(2);
  await endRound();
  expect(rounds()).toBe(2);
});

it('stop waits for the current round and prevents further rounds', async () => {
  const { loop, endRound, rounds } = setUp();
  loop.wake();
  loop.wake();
  let hasStopped = false;
  const stopped = loop.stop().then(() => (hasStopped = true));
  await new Promise(setImmediate);
  expect(hasStopped).toBe(false);
  await endRound();
  await stopped;
  loop.wake();
  expect(rounds()).toBe(1);
});

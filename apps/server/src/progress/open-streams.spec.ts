import { describe, expect, it } from '@jest/globals';
import { type Response } from 'express';
import { type HttpProblem } from '../http/problem.js';
import { silentLogger } from '../../../../test/support/silent-logger.js';
import { OpenStreams } from './open-streams.js';

const streams = () =>
  new OpenStreams(
    { callerOf: () => new Promise(() => undefined) },
    { maySee: () => Promise.resolve(true) },
    () => undefined,
    silentLogger,
  );

/** Opens streams until one is refused. @returns how many were opened. */
function fill(open: OpenStreams, callerId: string): { opened: Response[]; code: string } {
  const opened: Response[] = [];
  for (;;) {
    try {
      open.assertRoom(callerId);
    } catch (error) {
      return { opened, code: (error as HttpProblem).code };
    }
    const response = { end: () => undefined } as unknown as Response;
    open.add(response, { callerId, token: callerId, executionId: 'e', feed: { close: () => undefined } });
    opened.push(response);
  }
}

describe('OpenStreams', () => {
  it('refuses more than 100 streams of a caller and 1,000 of a pod, until one ends', () => {
    const open = streams();
    const first = fill(open, 'caller 0');
    expect([first.opened.length, first.code]).toEqual([100, 'too_many_streams']);
    for (let caller = 1; caller < 10; caller += 1)
      expect(fill(open, `caller ${caller}`).opened).toHaveLength(100);
    expect(fill(open, 'one more caller').opened).toHaveLength(0);
    open.remove(first.opened[0]!);
    expect(fill(open, 'one more caller').opened).toHaveLength(1);
    open.endAll();
  });
});

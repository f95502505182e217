import { describe, expect, it } from '@jest/globals';
import { leaseLost, RepotideError, type ErrorKind } from '@core/domain';
import { whatNext } from './retry-policy.js';
import { shutdownReason } from './run-execution.js';

const NOW = new Date('2026-05-04T10:00:00.000Z');

function after(seconds: number): Date {
  return new Date(NOW.getTime() + seconds * 1000);
}

const again = (delaySeconds: number | null) => ({ kind: 'requeue', delaySeconds, isFailure: true });

describe('whatNext', () => {
  it('hands over at once when the pod stops, at any attempt, and counts no failure', () => {
    expect(whatNext(shutdownReason(), 99, NOW)).toEqual({ ...again(null), isFailure: false });
  });

  it('hands over at once when the lease was lost, within the attempts', () => {
    expect(whatNext(leaseLost('test'), 1, NOW)).toEqual(again(null));
    expect(whatNext(leaseLost('test'), 5, NOW)).toEqual({ kind: 'end', status: 'failed' });
  });

  it('waits four times as long after each temporary failure, then fails the run', () => {
    const error = new RepotideError('temporary', 'source_unavailable', 'down');
    const waits = [1, 2, 3, 4].map((attempt) => whatNext(error, attempt, NOW, 0));
    expect(waits).toEqual([15, 60, 240, 960].map(again));
    expect(whatNext(error, 5, NOW, 0)).toEqual({ kind: 'end', status: 'failed' });
    expect(whatNext(error, 1, NOW, 1)).toEqual(again(18));
  });

  it('waits until a limit ends, never less than the first wait and never more than an hour', () => {
    const until = (retryAt?: Date) =>
      new RepotideError('rate_limited', 'source_rate_limited', 'slow', retryAt ? { retryAt } : {});
    expect(whatNext(until(after(600)), 1, NOW)).toEqual(again(600));
    expect(whatNext(until(after(1)), 1, NOW)).toEqual(again(15));
    expect(whatNext(until(after(100_000)), 1, NOW)).toEqual(again(3_600));
    expect(whatNext(until(), 1, NOW)).toEqual(again(15));
  });

  it.each<ErrorKind>([
    'invalid',
    'not_found',
    'unauthorized',
    'forbidden',
    'conflict',
    'fence_lost',
    'internal',
  ])('does not repeat what is %s', (kind) => {
    expect(whatNext(new RepotideError(kind, 'code', 'no'), 1, NOW)).toEqual({
      kind: 'end',
      status: 'failed',
    });
  });

  it('ends a cancelled run as cancelled', () => {
    const error = new RepotideError('cancelled', 'cancel_requested', 'stop');
    expect(whatNext(error, 1, NOW)).toEqual({ kind: 'end', status: 'cancelled' });
  });
});

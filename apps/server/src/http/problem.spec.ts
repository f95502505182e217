import { BadRequestException, HttpException } from '@nestjs/common';
import { describe, expect, it } from '@jest/globals';
import { RepotideError, type ErrorKind } from '@core/domain';
import { problemOf } from './problem.js';

describe('problemOf', () => {
  it.each<[ErrorKind, number]>([
    ['invalid', 422],
    ['not_found', 404],
    ['conflict', 409],
    ['fence_lost', 409],
    ['rate_limited', 429],
    ['unauthorized', 502],
    ['forbidden', 502],
    ['temporary', 503],
    ['cancelled', 503],
    ['internal', 500],
  ])('answers %s with %i', (kind, status) => {
    expect(problemOf(new RepotideError(kind, 'some_code', 'Some words.')).status).toBe(status);
  });

  it('adds the details of an error, but never replaces a standard member', () => {
    const error = new RepotideError('conflict', 'run_in_progress', 'It runs.', {
      details: { pod_name: 'pod-a', status: 'running', code: 'other', type: 'x' },
    });
    expect(problemOf(error)).toEqual({
      type: 'urn:repotide:problem:run_in_progress',
      title: 'Conflict',
      status: 409,
      detail: 'It runs.',
      code: 'run_in_progress',
      pod_name: 'pod-a',
    });
  });

  it('lists an error that names its field under errors', () => {
    const error = new RepotideError('invalid', 'timezone_invalid', 'No zone.', {
      details: { field: 'timezone', found: 'Mars' },
    });
    expect(problemOf(error).errors).toEqual([{ field: 'timezone', message: 'No zone.', found: 'Mars' }]);
  });

  it('keeps found as a member if the error names no field', () => {
    const error = new RepotideError('conflict', 'revision_mismatch', 'Changed.', {
      details: { found: 3, expected: 2 },
    });
    expect(problemOf(error)).toMatchObject({ status: 412, found: 3, expected: 2 });
  });

  it.each([
    new Error('secret'),
    'secret',
    new RepotideError('internal', 'database_error', 'secret', { details: { sql: 'secret' } }),
    new HttpException('secret', 503),
  ])('hides the details of an unknown or internal error', (thrown) => {
    const problem = problemOf(thrown);
    expect(problem).toMatchObject({ status: 500, code: 'internal_error' });
    expect(JSON.stringify(problem)).not.toContain('secret');
  });

  it('keeps the status and message of an Express error', () => {
    expect(problemOf(new BadRequestException('Unexpected end of JSON input'))).toMatchObject({
      status: 400,
      code: 'malformed_request',
      detail: 'Unexpected end of JSON input',
    });
  });
});

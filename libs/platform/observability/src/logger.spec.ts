import { Writable } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import { withLogContext } from './log-context.js';
import { createLogger, type LoggerOptions } from './logger.js';
import { NestLoggerAdapter } from './nest-logger-adapter.js';
import { redactText, registerSecrets } from './redaction.js';

/** The domain's port, written out: platform imports nothing of ours. */
interface DomainLogger {
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
  child(fields: object): DomainLogger;
}

function capture(options: Partial<LoggerOptions> = {}) {
  let text = '';
  const destination = new Writable({
    write(data: Buffer, _encoding, done) {
      text += data.toString();
      done();
    },
  });
  const logger = createLogger({ level: 'debug', format: 'json', destination, ...options });
  const lines = () =>
    text
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as Record<string, unknown>);
  return { logger, lines, text: () => text };
}

describe('createLogger', () => {
  it('writes one JSON object per line, with the fields of the domain logger', () => {
    const { logger, lines } = capture({ base: { pod: 'repotide-0' } });
    const port: DomainLogger = logger;
    port.child({ schedule_id: 's1' }).info({ count: 3 }, 'Tick claimed.');
    expect(lines()).toEqual([
      {
        level: 'info',
        time: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
        pod: 'repotide-0',
        schedule_id: 's1',
        count: 3,
        msg: 'Tick claimed.',
      },
    ]);
  });

  it('omits lines below the level', () => {
    const { logger, lines } = capture({ level: 'warn' });
    logger.info({}, 'quiet');
    logger.warn({}, 'loud');
    expect(lines()).toMatchObject([{ level: 'warn', msg: 'loud' }]);
  });

  it('shows an error with its kind, stack and cause', () => {
    const { logger, lines } = capture();
    const error = Object.assign(new Error('outer', { cause: new Error('inner') }), { code: 'lease_lost' });
    logger.error({ error }, 'Run failed.');
    expect(lines()).toMatchObject([
      {
        error: {
          code: 'lease_lost',
          message: 'outer: inner',
          stack: expect.stringContaining('inner'),
        },
      },
    ]);
  });

  it('writes human-readable lines in the pretty format', () => {
    const { logger, text } = capture({ format: 'pretty' });
    logger.info({ execution_id: 'e1' }, 'Run finished.');
    expect(text()).toMatch(/INFO.*Run finished\..*"execution_id":"e1"/);
    expect(text().trim().split('\n')).toHaveLength(1);
  });
});

describe('withLogContext', () => {
  it('adds its fields in asynchronous calls, without those of a concurrent run', async () => {
    const { logger, lines } = capture();
    const run = (id: string) =>
      withLogContext({ execution_id: id }, async () => {
        await setImmediate();
        await withLogContext({ path: `${id}.ts` }, async () => {
          await setImmediate();
          logger.info({}, id);
        });
        logger.child({ step: 'end' }).info({}, id);
      });
    await Promise.all([run('a'), run('b')]);
    logger.info({}, 'outside');
    for (const line of lines().slice(0, 4)) expect(line['execution_id']).toBe(line['msg']);
    expect(lines().filter((line) => line['msg'] === 'a')).toMatchObject([{ path: 'a.ts' }, { step: 'end' }]);
    expect(lines()[3]).not.toHaveProperty('path');
    expect(lines()[4]).not.toHaveProperty('execution_id');
  });

  it('lets a line override a field of its context', () => {
    const { logger, lines } = capture();
    withLogContext({ attempt: 1 }, () => logger.info({ attempt: 2 }, 'x'));
    logger.info({}, 'y');
    expect(lines()[0]).toMatchObject({ attempt: 2 });
  });
});

describe('redaction', () => {
  it.each([
    ['authorization', 'Bearer abc'],
    ['PRIVATE-TOKEN', 'glpat-x'],
    ['x-api-key', 'k"ey'],
    ['apiKey', 'k'],
    ['client_secret', 'a\\'],
    ['db_password', 123456],
    ['set-cookie', ['sid=1']],
  ])('hides the member %s at any depth', (key, value) => {
    const { logger, lines } = capture();
    logger
      .child({ bound: { [key]: value } })
      .info({ a: { b: { c: { d: [{ [key]: value }] } } }, kept: 'k' }, 'x');
    expect(lines()).toMatchObject([
      { bound: { [key]: '[redacted]' }, a: { b: { c: { d: [{ [key]: '[redacted]' }] } } }, kept: 'k' },
    ]);
  });

  it('does not hide fields with similar names', () => {
    const { logger, lines } = capture();
    const fields = { max_input_tokens: 512, tokens: ['a'], author: 'x', cache_key: 'y', note: '"token":"z"' };
    logger.info(fields, 'x');
    expect(lines()).toMatchObject([fields]);
  });

  it('hides registered values anywhere in a line, and keeps the line valid JSON', () => {
    registerSecrets(['s3cr"et/value', '987654', 'abc']);
    const { logger, lines, text } = capture();
    const error = new Error('connect to https://u:s3cr%22et%2Fvalue@host failed');
    logger.warn(
      { error, port: 987654, list: ['x s3cr"et/value y'], 's3cr"et/value': 1 },
      'got s3cr"et/value, abc',
    );
    expect(text()).not.toMatch(/s3cr|987654/);
    expect(lines()).toMatchObject([
      {
        error: { message: 'connect to https://u:[redacted]@host failed' },
        port: '[redacted]',
        list: ['x [redacted] y'],
        '[redacted]': 1,
        msg: 'got [redacted], abc',
      },
    ]);
  });

  it('hides a secret completely when it contains another one', () => {
    registerSecrets(['hunter2', 'hunter2-and-more']);
    expect(redactText('is hunter2-and-more')).toBe('is [redacted]');
  });

  it('hides secrets in the pretty format too', () => {
    registerSecrets(['pretty-secret']);
    const { logger, text } = capture({ format: 'pretty' });
    logger.info({ token: 't-1', deep: { note: 'pretty-secret' } }, 'saw pretty-secret');
    expect(text()).not.toMatch(/pretty-secret|t-1/);
    expect(text()).toContain('saw [redacted]');
  });
});

describe('NestLoggerAdapter', () => {
  it('keeps message, context and stack, and logs the wiring of Nest at a lower level', () => {
    const { logger, lines } = capture();
    const nest = new NestLoggerAdapter(logger);
    nest.log('Nest application successfully started', 'NestApplication');
    nest.log('AppModule dependencies initialized', 'InstanceLoader');
    nest.error('boom', 'Error: boom\n    at here (file.ts:1:1)', 'ExceptionsHandler');
    nest.error(new Error('thrown'), 'Http');
    nest.warn({ odd: true });
    expect(lines()).toMatchObject([
      { level: 'info', context: 'NestApplication', msg: 'Nest application successfully started' },
      { level: 'debug', context: 'InstanceLoader' },
      {
        level: 'error',
        context: 'ExceptionsHandler',
        stack: expect.stringContaining('at here'),
        msg: 'boom',
      },
      { level: 'error', context: 'Http', err: { message: 'thrown' }, msg: 'thrown' },
      { level: 'warn', details: { odd: true } },
    ]);
  });
});

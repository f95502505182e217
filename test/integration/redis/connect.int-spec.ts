import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { inspect } from 'node:util';
import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { connectRedis, type ConnectRedisOptions, type RedisConnections } from '@adapters/redis';
import { RepotideError } from '@core/domain';
import { CapturedLog } from '../../support/captured-log.js';
import { eventually } from '../../support/eventually.js';
import { startTestRedis, type TestRedis } from '../../support/redis.js';
import { startTcpProxy, type TcpProxy } from '../../support/tcp-proxy.js';

const PASSWORD = 'p4ss-w0rd';
const undo: (() => Promise<void>)[] = [];

afterEach(async () => {
  jest.restoreAllMocks();
  for (const step of undo.splice(0).reverse()) await step();
});

async function redis(...args: string[]): Promise<TestRedis> {
  const server = await startTestRedis(...args);
  undo.push(() => server.stop());
  return server;
}

async function proxyTo(server: TestRedis): Promise<TcpProxy & { url: string }> {
  const proxy = await startTcpProxy(server);
  undo.push(() => proxy.close());
  return { ...proxy, url: `redis://127.0.0.1:${proxy.port}` };
}

const logger = new CapturedLog();

async function connect(
  urls: string[],
  options: Partial<ConnectRedisOptions> = {},
): Promise<RedisConnections> {
  const connections = await connectRedis({
    urls,
    keyPrefix: 'test',
    commandTimeoutMs: 400,
    logger,
    ...options,
  });
  undo.push(() => connections.close());
  return connections;
}

async function failureOf(call: Promise<unknown>): Promise<RepotideError> {
  const thrown: unknown = await call.then(
    () => null,
    (error: unknown) => error,
  );
  if (!(thrown instanceof RepotideError)) throw new Error(`no RepotideError but ${inspect(thrown)}`);
  return thrown;
}

describe('connectRedis', () => {
  it('connects with or without a password, in any database', async () => {
    const open = await redis();
    await (await connect([`${open.url}/3`])).ping();
    const locked = await redis('--requirepass', PASSWORD);
    await (await connect([locked.url.replace('//', `//default:${PASSWORD}@`)])).ping();
  });

  it('names host, port and variable when the connection is refused', async () => {
    const server = await redis();
    await server.kill();
    const failure = await failureOf(connect([server.url.replace('//', `//:${PASSWORD}@`)]));
    expect(failure).toMatchObject({ kind: 'temporary', code: 'redis_unreachable' });
    expect(failure.message).toContain(`127.0.0.1:${server.port}`);
    expect(failure.message).toContain('REDIS_URL');
    expect(failure.message).toContain('ECONNREFUSED');
    expect(inspect(failure, { depth: null })).not.toContain(PASSWORD);
  });

  it('times out when a server accepts the connection and never answers', async () => {
    const server = await redis();
    server.freeze();
    expect(await failureOf(connect([server.url]))).toMatchObject({ code: 'redis_unreachable' });
  });

  it.each([
    ['a wrong', `//:${PASSWORD}-not@`],
    ['no', '//'],
  ])('reports %s password as such, not as an outage, and never prints it', async (_, credentials) => {
    const server = await redis('--requirepass', PASSWORD);
    const failure = await failureOf(connect([server.url.replace('//', credentials)]));
    expect(failure).toMatchObject({ kind: 'unauthorized', code: 'redis_credentials_rejected' });
    expect(failure.message).toContain('REDIS_PASSWORD');
    expect(inspect([failure, logger.lines], { depth: null })).not.toContain(PASSWORD);
  });

  it('uses TLS for rediss://', async () => {
    const firstBytes: Buffer[] = [];
    const server = createServer((socket) => {
      socket.on('error', () => undefined);
      socket.once('data', (data) => {
        firstBytes.push(data);
        socket.destroy();
      });
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    undo.push(async () => void server.close());
    const { port } = server.address() as AddressInfo;
    expect(await failureOf(connect([`rediss://127.0.0.1:${port}`]))).toMatchObject({
      code: 'redis_unreachable',
    });
    // RFC 8446, 5.1: a handshake record.
    expect(firstBytes[0]?.[0]).toBe(0x16);
  });

  describe('start-up check', () => {
    it('finds nothing wrong with the settings of the chart', async () => {
      const server = await redis('--appendonly', 'yes', '--maxmemory-policy', 'noeviction');
      expect((await connect([server.url])).warnings).toEqual([]);
    });

    it('warns once, in the log too, about settings that weaken leases and queue', async () => {
      const primary = await redis();
      const weak = await redis('--appendonly', 'no', '--maxmemory-policy', 'allkeys-lru');
      const replica = await redis('--replicaof', '127.0.0.1', String(primary.port));
      const log = new CapturedLog();
      const { warnings } = await connect([weak.url, replica.url], { logger: log });
      expect(warnings).toHaveLength(3);
      expect(warnings[0]).toMatch(/allkeys-lru.*Set maxmemory-policy noeviction/);
      expect(warnings[1]).toMatch(/Set appendonly yes/);
      expect(warnings[2]).toContain(`127.0.0.1:${replica.port} is a replica`);
      expect(log.lines.filter(({ level }) => level === 'warn').map(({ fields }) => fields.detail)).toEqual(
        warnings,
      );
    });

    it('warns when INFO is not allowed, and continues', async () => {
      jest.spyOn(console, 'warn').mockImplementation(() => undefined); // ioredis warns too.
      const server = await redis('--user', 'app', 'on', `>${PASSWORD}`, '~*', '&*', '+@all', '-info');
      const { warnings } = await connect([server.url.replace('//', `//app:${PASSWORD}@`)]);
      expect(warnings).toHaveLength(1);
      expect(warnings[0]).toContain('could not be checked');
    });
  });

  describe('with several servers', () => {
    it('starts without a minority, which is connected later', async () => {
      const [first, second, third] = [await redis(), await redis(), await redis()];
      await second.kill();
      const connections = await connect([first.url, second.url, third.url]);
      expect(connections.warnings).toEqual([expect.stringContaining(`127.0.0.1:${second.port}`)]);
      await second.start();
      await eventually(() => connections.servers[1]?.client.status === 'ready');
    });

    it('needs the majority and the first server', async () => {
      const [first, second, third] = [await redis(), await redis(), await redis()];
      await first.kill();
      expect(await failureOf(connect([first.url, second.url, third.url]))).toMatchObject({
        details: { address: `127.0.0.1:${first.port}` },
      });
      await first.start();
      await second.kill();
      await third.kill();
      expect(await failureOf(connect([first.url, second.url, third.url]))).toMatchObject({
        code: 'redis_unreachable',
      });
    });
  });

  describe('after the start', () => {
    it('fails fast during an outage, logs it once, and reconnects', async () => {
      const server = await redis();
      const log = new CapturedLog();
      const connections = await connect([server.url], { logger: log });
      await server.kill();
      await eventually(() => connections.primary.client.status !== 'ready');
      for (let times = 0; times < 3; times++) {
        expect(await failureOf(connections.ping())).toMatchObject({
          kind: 'temporary',
          code: 'redis_unreachable',
        });
      }
      await server.start();
      await eventually(() =>
        connections.ping().then(
          () => true,
          () => false,
        ),
      );
      expect(log.lines.map(({ message }) => message)).toEqual([
        'Redis connection lost; reconnecting',
        'Redis connected',
      ]);
    });

    it('closes a silent connection, and reconnects', async () => {
      const proxy = await proxyTo(await redis());
      const connections = await connect([proxy.url]);
      proxy.blackhole('to-client');
      expect((await failureOf(connections.ping())).message).toContain('timed out');
      await eventually(() => connections.primary.client.status !== 'ready');
      proxy.restore();
      proxy.cut();
      await eventually(() =>
        connections.ping().then(
          () => true,
          () => false,
        ),
      );
    });
  });
});

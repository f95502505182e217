import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo } from 'node:net';
import { type Server } from 'node:tls';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createGitLabSourceFactory } from '@adapters/gitlab';
import { OpenAiEmbedder } from '@adapters/embedding';
import { connectDatabase, type EmbeddedPostgres, ListeningHints } from '@adapters/postgres';
import { createQdrantStore } from '@adapters/qdrant';
import { connectRedis } from '@adapters/redis';
import { HttpReranker } from '@adapters/reranking';
import { X509Certificate } from 'node:crypto';
import {
  createAuthority,
  type EmbeddingStandIn,
  type QdrantDouble,
  startEmbeddingStandIn,
  startQdrantDouble,
  startRerankingStandIn,
  type RerankingStandIn,
} from '@devkit';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import {
  clientAuthority,
  serverAuthority,
  startCertifiedPostgres,
  startCertifiedRedis,
  writeCertificates,
} from '../../support/certified-servers.js';
import { until } from '../../support/command-line.js';
import { ownLimiter } from '../../support/limiter.js';
import { memoryRegistry } from '../../support/model-registry.js';
import { recordingLogger } from '../../support/recording-logger.js';
import { silentLogger as logger } from '../../support/silent-logger.js';
import { startMutualTls } from '../../support/tls-server.js';

const never = new AbortController().signal;
const STRANGERS = createAuthority('strangers');

let directory: string;
let certified: string;
let strange: string;
let bare: string;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'repotide-certificates-'));
});
beforeEach(async () => {
  certified = await writeCertificates(join(directory, 'certified'), 'first');
  strange = await writeCertificates(join(directory, 'strange'), 'stranger', STRANGERS);
  bare = await mkdtemp(join(directory, 'bare-'));
  await writeFile(join(bare, 'ca.crt'), serverAuthority.cert);
});
afterAll(() => rm(directory, { recursive: true, force: true }));

describe('Postgres that expects a client certificate', () => {
  let server: EmbeddedPostgres;
  beforeAll(async () => {
    server = await startCertifiedPostgres();
  });
  afterAll(() => server?.stop());

  const connect = (tlsDir: string) => connectDatabase({ url: server.url, tlsDir, logger, poolSize: 1 });
  const SERIAL = `SELECT pid, client_serial::text AS serial, ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()`;
  const serialIn = (pem: string): string => BigInt(`0x${new X509Certificate(pem).serialNumber}`).toString();

  it('gets it, and refuses none and that of a stranger with the name of the setting', async () => {
    const database = await connect(certified);
    expect(await database.first(SERIAL)).toMatchObject({ ssl: true, serial: expect.stringMatching(/^\d+$/) });
    await database.close();
    await expect(connect(bare)).rejects.toThrow(/valid client certificate.*check tls.crt.*DATABASE_TLS_DIR/);
    await expect(connect(strange)).rejects.toThrow(/check tls.crt and tls.key in DATABASE_TLS_DIR/);
  });

  it('gets a renewed one on new connections of the pool, and the former while the new files do not fit together', async () => {
    const log = recordingLogger();
    const database = await connectDatabase({ url: server.url, tlsDir: certified, logger: log, poolSize: 1 });
    const serialOfNew = async (): Promise<string | undefined> => {
      const pid = (await database.first<{ pid: number }>('SELECT pg_backend_pid() AS pid'))?.pid;
      const now = () =>
        database.first<{ pid: number; serial: string }>(SERIAL).catch(() => ({ pid, serial: '' }));
      await database.query('SELECT pg_terminate_backend(pg_backend_pid())').catch(() => undefined);
      await until('a new connection', async () => (await now())?.pid !== pid);
      return (await now())?.serial;
    };
    const former = (await database.first<{ serial: string }>(SERIAL))?.serial;
    const renewed = clientAuthority.issue('second');
    await writeFile(join(certified, 'tls.crt'), renewed.cert);
    expect(await serialOfNew()).toBe(former);
    expect(log.lines.join()).toContain('tls.key is not the key of the certificate in tls.crt');
    await writeFile(join(certified, 'tls.key'), renewed.key);
    expect(await serialOfNew()).toBe(serialIn(renewed.cert));
    await database.close();
  });

  it('gets it from the connection for hints too, and its own name is checked', async () => {
    const database = await connect(certified);
    const options = { url: server.url, podName: 'pod-a', database, logger };
    const hints = new ListeningHints({ ...options, tlsDir: certified });
    await until('the connection for hints', async () => {
      const rows = await database.query(
        `SELECT FROM pg_stat_ssl JOIN pg_stat_activity USING (pid) WHERE ssl AND application_name = 'repotide:pod-a:hints'`,
      );
      return rows.length === 1;
    });
    await hints.close();
    await database.close();
    await writeFile(join(certified, 'ca.crt'), STRANGERS.cert);
    await expect(connect(certified)).rejects.toThrow(/put that authority into ca.crt in DATABASE_TLS_DIR/);
  });

  it('gets it by the parameters of libpq in the URL', async () => {
    const url = new URL(server.url);
    url.searchParams.delete('sslmode');
    const files = { sslcert: 'tls.crt', sslkey: 'tls.key', sslrootcert: 'ca.crt' };
    for (const [name, file] of Object.entries(files)) url.searchParams.set(name, join(certified, file));
    const database = await connectDatabase({ url: url.href, logger });
    expect(await database.first(SERIAL)).toMatchObject({ ssl: true });
    await database.close();
  });
});

describe('GitLab that expects a client certificate', () => {
  it('gets it for its API and for git, and no other host gets it', async () => {
    const asked: string[] = [];
    const gitlab = createServer(({ url }, response) => {
      asked.push(String(url));
      response.writeHead(404, { 'content-type': 'application/json' }).end('{}');
    });
    await once(gitlab.listen(0, '127.0.0.1'), 'listening');
    const options = { ...serverAuthority.issue('127.0.0.1'), ca: clientAuthority.cert };
    const proxy = await startMutualTls((gitlab.address() as AddressInfo).port, options);
    const open = (tlsDir: string, baseUrl = proxy.url) =>
      createGitLabSourceFactory({
        ...{ defaultToken: null, requestTimeoutMs: 10_000, maxRetries: 0, userAgent: 'test', logger },
        limiter: ownLimiter(),
        certificates: { baseUrl, tlsDir, logger },
      });
    const target = { baseUrl: proxy.url, projectPath: 'web/shop', credentialId: null };
    const read = async (tlsDir: string, baseUrl?: string) =>
      (await open(tlsDir, baseUrl).open(target, never)).findProject('web/shop', never);
    await expect(read(certified)).rejects.toMatchObject({ code: 'project_not_found' });
    const { git } = await open(certified).openGit(target, never);
    await expect(git.advertise('web/shop', never)[Symbol.asyncIterator]().next()).rejects.toThrow();
    expect(proxy.clients).toContain('first');
    expect(asked.filter((path) => path.includes('info/refs'))).toHaveLength(1);
    await expect(read(bare)).rejects.toThrow(/check tls.crt and tls.key in GITLAB_TLS_DIR/);
    await expect(read(certified, 'https://gitlab.example.com')).rejects.toThrow(/not trusted/);
    proxy.server.close();
    gitlab.close();
  });
});

describe('Redis that expects a client certificate', () => {
  let server: Awaited<ReturnType<typeof startCertifiedRedis>>;
  beforeAll(async () => {
    server = await startCertifiedRedis();
  });
  afterAll(() => server?.stop());

  const connect = (tlsDir: string) => connectRedis({ urls: [server.tlsUrl], keyPrefix: 't', tlsDir, logger });

  it('gets it, and refuses none and that of a stranger with the name of the setting', async () => {
    const redis = await connect(certified);
    await redis.ping();
    await redis.close();
    const advice = /check tls.crt and tls.key in REDIS_TLS_DIR/;
    await expect(connect(bare)).rejects.toThrow(advice);
    await expect(connect(strange)).rejects.toThrow(advice);
  });

  it('gets a renewed one when the connection is opened again', async () => {
    const redis = await connect(certified);
    await writeCertificates(certified, 'second', STRANGERS);
    const authority = join(directory, 'strangers.pem');
    await writeFile(authority, STRANGERS.cert);
    const { client } = redis.primary;
    // From here on only the renewed certificate is accepted.
    await client.config('SET', 'tls-ca-cert-file', authority);
    const former = await client.client('ID');
    await client.call('CLIENT', 'KILL', 'ID', String(former), 'SKIPME', 'no').catch(() => undefined);
    await until('a new connection', () => redis.ping().then(() => true, () => false)); // prettier-ignore
    expect(await client.client('ID')).not.toBe(former);
    await redis.close();
  });
});

describe('servers behind HTTPS that expect a client certificate', () => {
  let qdrant: QdrantDouble;
  let embedding: EmbeddingStandIn;
  let reranking: RerankingStandIn;
  const opened: Server[] = [];
  beforeAll(async () => {
    [qdrant, embedding, reranking] = await Promise.all([
      startQdrantDouble(),
      startEmbeddingStandIn(),
      startRerankingStandIn({ form: 'tei' }),
    ]);
  });
  afterAll(async () => {
    for (const server of opened) server.close();
    await Promise.all([qdrant?.close(), embedding?.stop(), reranking?.stop()]);
  });

  async function before(url: string) {
    const options = { ...serverAuthority.issue('server'), ca: [clientAuthority.cert] };
    const front = await startMutualTls(Number(new URL(url).port), options);
    opened.push(front.server);
    return { ...front, url: front.url + new URL(url).pathname.replace(/\/$/, '') };
  }

  const users = {
    Qdrant: [() => qdrant.url, useQdrant],
    'the embedding server': [() => embedding.url, useEmbedding],
    'the reranker': [() => reranking.url, useReranker],
  } as const;

  it.each(Object.entries(users))('%s gets it, and a renewed one', async (_name, [urlOf, use]) => {
    const { url, clients } = await before(urlOf());
    const request = use(url, certified);
    await request();
    await request();
    expect(new Set(clients)).toEqual(new Set(['first']));
    await writeCertificates(certified, 'second');
    await request();
    expect(clients.at(-1)).toBe('second');
  });

  function useQdrant(url: string, tlsDir: string): () => Promise<unknown> {
    const store = createQdrantStore({ url, tlsDir, logger, retryDelayMs: 1 });
    return () => store.count('none', null, never);
  }

  function useEmbedding(url: string, tlsDir: string): () => Promise<unknown> {
    const limits = { batchSize: 1, concurrency: 1, timeoutSeconds: 10 };
    const embedder = new OpenAiEmbedder({
      ...{
        url,
        tlsDir,
        model: 'text-embedding-3-small',
        dimensions: 16,
        limiter: ownLimiter(),
        registry: memoryRegistry(),
        logger,
      },
      ...{ ...limits, retry: { attempts: 1, firstDelayMs: 1, longestDelayMs: 1 } },
    });
    return () => embedder.embed(['a text'], 'query', never);
  }

  function useReranker(url: string, tlsDir: string): () => Promise<unknown> {
    const reranker = new HttpReranker({
      ...{ url, tlsDir, model: undefined, apiKey: undefined, timeoutMs: 10_000, logger },
    });
    return () => reranker.rank('a query', ['a text'], never);
  }
});

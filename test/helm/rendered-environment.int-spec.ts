import { Agent, get, type IncomingMessage } from 'node:http';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, it } from '@jest/globals';
import { connectDatabase } from '@adapters/postgres';
import {
  generateRepository,
  type GitLabStandIn,
  type KubernetesStandIn,
  type QdrantDouble,
  startGitLabStandIn,
  startKubernetesStandIn,
  startQdrantDouble,
} from '@devkit';
import { variableEntries } from '@platform/config';
import { until } from '../support/command-line.js';
import { freePort } from '../support/free-port.js';
import { createTestDatabase, type TestDatabase } from '../support/postgres.js';
import { openTestRedis, type TestRedisSpace, withRedis } from '../support/redis.js';
import { silentLogger } from '../support/silent-logger.js';
import { describeWithHelm, render } from './helm.js';
import { containerOf, type Manifest, podSpecOf, theOne } from './manifest.js';
import { type ClusterFacts, environmentOf, isContained, type PodProcess, runPod } from './pod-process.js';

const ADMIN_TOKEN = 'admin-token-of-the-test';
const PROJECTS = ['load/one', 'load/two', 'load/three'];
const POD_NAME = 'repotide-6d5f7c9b8-x2x4q';

let database: TestDatabase;
let redis: TestRedisSpace;
let qdrant: QdrantDouble;
let gitlab: GitLabStandIn;
let kubernetes: KubernetesStandIn;
let directory: string;
let facts: ClusterFacts;
let port: number;
let manifests: Manifest[];
const pods: PodProcess[] = [];

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'repotide-rendered-'));
  [database, redis, qdrant, gitlab, kubernetes, port] = await Promise.all([
    createTestDatabase('empty'),
    openTestRedis(),
    startQdrantDouble(),
    startGitLabStandIn(),
    startKubernetesStandIn(),
    freePort(),
  ]);
  for (const [index, path] of PROJECTS.entries()) {
    const gitDir = join(directory, String(index));
    await generateRepository(gitDir, { files: 150, totalBytes: 1_500_000, seed: index });
    await gitlab.addProject({ path, gitDir, defaultBranch: 'main' });
  }
  const settings = {
    ...{ DATABASE_URL: database.url, REDIS_URL: redis.url, REDIS_KEY_PREFIX: redis.keyPrefix },
    ...{ QDRANT_URL: qdrant.url, EMBEDDING_PROVIDER: 'lexical' },
    ...{ GITLAB_URL: gitlab.url, GITLAB_TOKEN: gitlab.token },
    ...{ REPOTIDE_ADMIN_TOKEN: ADMIN_TOKEN, REPOTIDE_ENCRYPTION_KEY: 'a-key-of-the-test-0123456789' },
  };
  facts = {
    ...{ podName: POD_NAME, namespace: kubernetes.namespace, secrets: { repotide: settings } },
    kubernetes: {
      host: String(kubernetes.env.KUBERNETES_SERVICE_HOST),
      port: String(kubernetes.env.KUBERNETES_SERVICE_PORT),
      serviceAccountDir: String(kubernetes.env.KUBERNETES_SERVICE_ACCOUNT_DIR),
    },
  };
  // Only the port differs from the default values: one that is free on this machine.
  manifests = await render({ set: [`config.PORT=${port}`] });
});

afterEach(async () => {
  await Promise.all(pods.splice(0).map((pod) => pod.remove()));
});

afterAll(async () => {
  await Promise.all([kubernetes.stop(), gitlab.stop(), qdrant.close(), redis.release(), database.drop()]);
  await rm(directory, { recursive: true, force: true });
});

async function start(workload: Manifest, podName = POD_NAME, secrets = facts.secrets): Promise<PodProcess> {
  const pod = await runPod(workload, manifests, { ...facts, podName, secrets });
  pods.push(pod);
  return pod;
}

/** Starts the Deployment's container and calls its readiness probe, as the kubelet would. */
async function startReady(podName?: string): Promise<PodProcess> {
  const deployment = theOne(manifests, 'Deployment');
  const pod = await start(deployment, podName);
  const { readinessProbe } = containerOf(deployment);
  let hasEnded = false;
  void pod.ended.then(() => (hasEnded = true));
  await until('the pod to be ready', async () => {
    if (hasEnded) throw new Error(`The pod ended: ${pod.output()}`);
    return (await probe(String(readinessProbe?.httpGet?.path))) === 200;
  }).catch((error: unknown) => {
    throw new Error(pod.output(), { cause: error });
  });
  return pod;
}

async function probe(path: string): Promise<number> {
  return fetch(`http://127.0.0.1:${port}${path}`).then(({ status }) => status, () => 0); // prettier-ignore
}

function getWith(agent: Agent, url: string): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    get(url, { agent }, (response) => resolve(response.resume())).on('error', reject);
  });
}

async function call<T>(method: 'GET' | 'POST', path: string, body?: object): Promise<T> {
  const response = await fetch(`http://127.0.0.1:${port}/api/v1${path}`, {
    method,
    headers: { Authorization: `Bearer ${ADMIN_TOKEN}`, 'Content-Type': 'application/json' },
    body: body && JSON.stringify(body),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
  return JSON.parse(text) as T;
}

interface Execution {
  id: string;
  status: string;
  pod_name: string | null;
}

const statusOf = async (id: string): Promise<string> =>
  (await call<Execution>('GET', `/executions/${id}`)).status;

/** A change that the migration of a later version may make: it adds columns, with or without a default. */
async function addToEveryTable(url: string): Promise<void> {
  const client = await connectDatabase({ url, poolSize: 1, logger: silentLogger });
  try {
    const tables = await client.query<{ name: string }>(
      `SELECT relname AS name FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p')
          AND relname <> 'repotide_migrations' AND NOT EXISTS (SELECT FROM pg_inherits WHERE inhrelid = pg_class.oid)`,
    );
    expect(tables.length).toBeGreaterThan(5);
    for (const { name } of tables) {
      await client.query(
        `ALTER TABLE "${name}" ADD COLUMN from_next text, ADD COLUMN of_next int NOT NULL DEFAULT 1`,
      );
    }
    await client.query(
      `INSERT INTO repotide_migrations (timestamp, name) VALUES (9999999999999, 'NextAdds9999999999999')`,
    );
  } finally {
    await client.close();
  }
}

const where = isContained
  ? 'in a read-only root file system, as the user of its spec'
  : 'as the user of the test, for want of the right to make namespaces';

describeWithHelm(`the pods of the default chart, each a process ${where}`, () => {
  it('has the directory of each client certificate, and the Secret is mounted there, also for the migration', async () => {
    const servers = ['database', 'redis', 'qdrant', 'embedding', 'rerank', 'gitlab'];
    const set = servers.map((server) => `clientCertificates.${server}=${server}-certificate`);
    const rendered = await render({ set });
    const names = variableEntries.map(([name]) => name as string);
    for (const kind of ['Deployment', 'Job']) {
      const workload = theOne(rendered, kind);
      const env = environmentOf(containerOf(workload), rendered, facts);
      const { volumes = [] } = podSpecOf(workload);
      for (const server of servers) {
        const path = env[`${server.toUpperCase()}_TLS_DIR`];
        const mount = containerOf(workload).volumeMounts?.find(({ mountPath }) => mountPath === path);
        const volume = volumes.find(({ name }) => name === mount?.name);
        expect(volume?.secret).toEqual({ secretName: `${server}-certificate`, defaultMode: 0o440 });
        expect(names).toContain(`${server.toUpperCase()}_TLS_DIR`);
      }
    }
    expect(JSON.stringify(await render())).not.toContain('_TLS_DIR');
  });

  it('migrate an empty database in the Job', async () => {
    const pod = await start(theOne(manifests, 'Job'), 'repotide-migration-k8xqz');
    expect([await pod.ended, pod.output()]).toEqual([0, expect.stringContaining('The schema is current.')]);
  });

  it('end the Job with the exit code that forbids a retry when a setting is invalid, and name the setting', async () => {
    const invalid = { ...facts.secrets, repotide: { ...facts.secrets['repotide'], REDIS_DB: 'seven' } };
    const pod = await start(theOne(manifests, 'Job'), 'repotide-migration-w4tzz', invalid);
    expect([await pod.ended, pod.output()]).toEqual([78, expect.stringContaining('REDIS_DB: found "seven"')]);
    const { rules } = theOne(manifests, 'Job').spec!.podFailurePolicy!;
    expect(JSON.stringify(rules)).toContain('"values":[78]');
  });

  it('become ready against Postgres, Redis and Qdrant, and answer every probe', async () => {
    const pod = await startReady();
    const { startupProbe, livenessProbe } = containerOf(theOne(manifests, 'Deployment'));
    expect(await probe(String(startupProbe?.httpGet?.path))).toBe(200);
    expect(await probe(String(livenessProbe?.httpGet?.path))).toBe(200);
    expect(pod.output()).toContain('(distributed)');
    expect(pod.output()).toContain(`"pod":"${POD_NAME}"`);
    expect(await pod.terminate()).toBe(0);
  });

  it('watch the pods of their release with their service account, and log it', async () => {
    kubernetes.setPod(POD_NAME);
    const pod = await startReady();
    await until('a watch', () => kubernetes.watchCount() > 0);
    const { labels } = theOne(manifests, 'Deployment').spec!.template!.metadata;
    const selector = kubernetes.requests[0]?.query.labelSelector ?? '';
    for (const term of selector.split(',')) {
      const [label = '', value] = term.split('=');
      expect([label, labels[label]]).toEqual([label, value]);
    }
    expect(selector).toBe('app.kubernetes.io/part-of=repotide');
    expect(kubernetes.requests.filter(({ status }) => status !== null && status !== 200)).toEqual([]);
    await until('the log of the pod watch', () => pod.output().includes('pods are watched'));
    expect(await pod.terminate()).toBe(0);
  });

  it('stop when their own pod is deleted from the cluster, and write only lines of JSON', async () => {
    kubernetes.setPod(POD_NAME);
    const watches = kubernetes.watchCount();
    const pod = await startReady();
    await until('a watch', () => kubernetes.watchCount() > watches);
    kubernetes.deletePod(POD_NAME);
    expect(await pod.ended).toBe(0);
    const lines = pod.output().trim().split('\n');
    expect(lines.map((line) => JSON.parse(line) as object)).toContainEqual(
      expect.objectContaining({ msg: 'this pod was deleted from the cluster; stopping' }),
    );
    for (const line of lines) expect(line.match(/"pod":/g)).toHaveLength(1);
  });

  it('end kept connections with their next response while they stop', async () => {
    const pod = await startReady();
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    const url = `http://127.0.0.1:${port}/health/live`;
    expect((await getWith(agent, url)).headers.connection).toBe('keep-alive');
    const ended = pod.terminate();
    await until('the announcement', async () => (await getWith(agent, url)).headers.connection === 'close');
    expect(await ended).toBe(0);
    agent.destroy();
  });

  it('run without permission to watch pods, and log that they use heartbeats', async () => {
    kubernetes.forbid();
    const pod = await startReady();
    await until('the log of the refusal', () => pod.output().includes('pods cannot be watched'));
    kubernetes.allow();
    expect(await pod.terminate()).toBe(0);
  });

  it('stop on SIGTERM under load within the grace period, and the next pod completes every run', async () => {
    const first = await startReady();
    const runs: string[] = [];
    for (const path of PROJECTS) {
      const { id } = await call<{ id: string }>('POST', '/repositories', { project_path: path });
      runs.push((await call<{ execution_id: string }>('POST', `/repositories/${id}/sync`)).execution_id);
    }
    await until('a run to be in its middle', () => qdrant.countRequests('upsert_points') > 0);
    const holders = await withRedis(redis.url, async (client) => {
      const keys = await client.keys(`${redis.keyPrefix}:scheduler_lock:repo_sync_*`);
      return keys.length === 0 ? [] : client.mget(keys);
    });
    expect(holders.length).toBeGreaterThan(0);
    for (const holder of holders) expect(holder).toMatch(new RegExp(`^${POD_NAME}:`));
    // Exit code 0, not SIGKILL, which the pod would get after the rendered grace period.
    expect([await first.terminate(), first.output().includes('did not stop')]).toEqual([0, false]);

    const second = await startReady('repotide-6d5f7c9b8-m9k2w');
    for (const run of runs) {
      await until(`run ${run}`, async () => !['queued', 'running'].includes(await statusOf(run)));
      expect(await statusOf(run)).toBe('completed');
    }
    expect(await second.terminate()).toBe(0);
    expect(qdrant.violations).toEqual([]);
  });

  it('work after a newer version has migrated the database, and after a rollback', async () => {
    await addToEveryTable(database.url);
    const migration = await start(theOne(manifests, 'Job'), 'repotide-migration-7hq2p');
    expect(await migration.ended).toBe(0);
    const pod = await startReady();
    const { items } = await call<{ items: { id: string }[] }>('GET', '/repositories');
    const sync = `/repositories/${items[0]?.id}/sync`;
    const { execution_id: run } = await call<{ execution_id: string }>('POST', sync, { full: true });
    await until(`run ${run}`, async () => !['queued', 'running'].includes(await statusOf(run)));
    expect(await statusOf(run)).toBe('completed');
    expect(await pod.terminate()).toBe(0);
  });

  if (isContained) {
    it('can write to /tmp only, and have no privilege', async () => {
      const deployment = theOne(manifests, 'Deployment');
      const script = `
        const { writeFileSync, readFileSync } = require('node:fs');
        const tryWrite = (path) => { try { writeFileSync(path, ''); return 'written'; } catch (e) { return e.code; } };
        const status = readFileSync('/proc/self/status', 'utf8');
        const field = (name) => new RegExp(name + ':\\\\s+(.*)').exec(status)[1];
        console.log(JSON.stringify({
          writes: ['/tmp/x', '/app/x', '/app/dist/x', '/etc/x', '/x'].map(tryWrite),
          pid: process.pid, uid: process.getuid(), gid: process.getgid(),
          capabilities: field('CapEff'), bounded: field('NoNewPrivs'),
        }))`;
      const container = { ...containerOf(deployment), command: ['node', '-e', script], args: [] };
      const podSpec = { ...deployment.spec!.template!.spec, containers: [container] };
      const template = { ...deployment.spec!.template!, spec: podSpec };
      const pod = await start({ ...deployment, spec: { ...deployment.spec, template } });
      expect(await pod.ended).toBe(0);
      expect(JSON.parse(pod.output())).toEqual({
        writes: ['written', 'EROFS', 'EROFS', 'EROFS', 'EROFS'],
        ...{ pid: 1, uid: 65532, gid: 65532, capabilities: '0000000000000000', bounded: '1' },
      });
    });
  }
});

describeWithHelm('the query of KEDA', () => {
  it('counts the queued executions in the database that the workers use', async () => {
    const set = ['layout=split', 'autoscaling.worker.enabled=true'];
    const [trigger] = theOne(await render({ set }), 'ScaledObject').spec?.triggers ?? [];
    const { query, connectionFromEnv } = trigger!.metadata;
    expect(connectionFromEnv).toBe('DATABASE_URL');
    const db = await connectDatabase({ url: database.url, poolSize: 1, logger: silentLogger });
    try {
      expect(await db.query(query!)).toEqual([{ count: expect.any(Number) }]);
    } finally {
      await db.close();
    }
  });
});

import { randomBytes } from 'node:crypto';
import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type KubernetesStandIn, type Random, startKubernetesStandIn } from '@devkit';
import { startTestRedis, type TestRedis, withRedis } from '../../support/redis.js';
import { findPgBouncer, type PgBouncer, startPgBouncer } from '../../support/pgbouncer.js';
import { startTcpProxy, type TcpProxy } from '../../support/tcp-proxy.js';
import { type ApiAnswer, ask } from './api.js';
import { installAudit } from './audit.js';
import { type Branch, CodeBase } from './code-base.js';
import { Pod, type PodEvent } from './pod.js';
import { PostgresUnderTest } from './postgres.js';
import { StandIns } from './stand-ins.js';
import { type StandInAddresses } from './stand-ins-protocol.js';
import { environmentOf, type Timings } from './timings.js';

export type Mode = 'distributed' | 'advisory' | 'standalone';

export interface ClusterOptions {
  mode: Mode;
  /** Ignored in standalone mode, which has one pod because only one can use the data directory. */
  podCount: number;
  /** Clock offsets of the pods, used in turn; absent: all clocks are right. */
  skewsSeconds?: readonly number[];
  branchCount: number;
  timings: Timings;
  /** Directory of all files that are written. */
  directory: string;
  random: Random;
  /** Runs the Kubernetes stand-in, whose API tells the pods which of them exist. */
  isInKubernetes?: boolean;
  /** Settings that replace the defaults. */
  settings?: Readonly<Record<string, string>>;
  /** The bundle of another version, which every second pod runs. */
  otherBundle?: string;
  /** Pods reach Postgres through PgBouncer in transaction mode. Not for fail-overs of Postgres. */
  isPooled?: boolean;
}

/** Fewer than the connections of two pods, so that pods share them. By default PgBouncer stays away from a crashed server for 15 s. */
const POOL = {
  pool_mode: 'transaction',
  default_pool_size: 12,
  max_client_conn: 400,
  server_login_retry: 1,
};

/** Short vectors, because the scenarios do not test their contents. */
const DIMENSIONS = '16';
const RESTART_AFTER_CRASH_MS = 1_000;

/** The proxies between one pod and its stores. */
export interface PodLinks {
  postgres: TcpProxy | null;
  redis: TcpProxy | null;
  qdrant: TcpProxy | null;
}

/** Real server processes with their stores and stand-ins, for tests that inject faults. */
export class Cluster {
  readonly token = `faults-${randomBytes(12).toString('hex')}`;
  /** All pods since the start; {@link slots} holds the current ones. */
  readonly everyPod: Pod[] = [];
  readonly slots: Pod[] = [];
  readonly links: PodLinks[] = [];
  readonly projects: { id: number; path: string }[] = [];
  private readonly forgotten = new Set<Pod>();
  private readonly retired: { stop(): Promise<void> }[] = [];
  private pooler: PgBouncer | null = null;
  private isStopping = false;
  private replacements = 0;

  private constructor(
    readonly options: ClusterOptions,
    readonly code: CodeBase,
    readonly standIns: StandIns,
    private readonly addresses: StandInAddresses,
    public redis: TestRedis | null,
    public postgres: PostgresUnderTest,
    readonly kubernetes: KubernetesStandIn | null,
  ) {}

  static async start(options: ClusterOptions): Promise<Cluster> {
    const { mode, directory, branchCount, random } = options;
    await mkdir(join(directory, 'logs'), { recursive: true });
    // PostgreSQL runs as another user when the test runs as root. That user must be able to traverse the directory.
    await chmod(directory, 0o711);
    const dataDir = join(directory, 'data');
    const code = await CodeBase.create(join(directory, 'git'), branchCount, random);
    const { standIns, addresses } = await StandIns.start();
    const redis = mode === 'distributed' ? await startTestRedis() : null;
    const postgres =
      mode === 'standalone' ? new PostgresUnderTest(dataDir) : await PostgresUnderTest.start(dataDir);
    const kubernetes = options.isInKubernetes ? await startKubernetesStandIn() : null;
    const cluster = new Cluster(options, code, standIns, addresses, redis, postgres, kubernetes);
    try {
      await cluster.begin();
      return cluster;
    } catch (error) {
      await cluster.stop();
      throw error;
    }
  }

  /** Pods that listen and are neither frozen nor stopping. */
  get upPods(): Pod[] {
    return this.slots.filter(({ url }) => url !== null);
  }

  /** Pods with an active run. */
  async busyPods(): Promise<Pod[]> {
    const rows = await this.postgres.query<{ pod_name: string }>(
      "SELECT DISTINCT pod_name FROM schedule_execution_logs WHERE status = 'running'",
    );
    const names = new Set(rows.map(({ pod_name }) => pod_name));
    return this.upPods.filter(({ name }) => names.has(name));
  }

  get podEvents(): PodEvent[] {
    return this.everyPod.flatMap(({ events }) => events).sort((one, other) => one.at - other.at);
  }

  /** Texts that no log may contain. */
  get secrets(): string[] {
    return [this.token, this.addresses.gitlabToken];
  }

  /** @param pod default: the first that is up. */
  async api(
    method: string,
    path: string,
    body?: object,
    pod: Pod | undefined = this.upPods[0],
  ): Promise<ApiAnswer> {
    const url = pod?.url;
    return url ? ask(url, this.token, method, `/api/v1${path}`, body) : { status: 0, body: {} };
  }

  /** Starts the pod of a slot again: with the same name, like a restarted container, or with a new one, like a new pod of a Deployment. */
  async revive(slot: number, name: 'same' | 'new' = 'same'): Promise<void> {
    const former = this.slots[slot]!;
    if (this.isStopping || former.isRunning) return;
    if (name === 'same') {
      this.kubernetes?.restartContainer(former.name);
      return this.startPod(former, slot);
    }
    this.forget(former);
    await this.startPod(this.makePod(slot, `${podName(slot)}-${++this.replacements}`), slot);
  }

  /** Removes the pod from the Kubernetes stand-in. Repeating is harmless. */
  forget(pod: Pod): void {
    if (this.forgotten.has(pod)) return;
    this.forgotten.add(pod);
    this.kubernetes?.deletePod(pod.name);
  }

  async stop(): Promise<void> {
    this.isStopping = true;
    await Promise.all(this.everyPod.map((pod) => pod.kill()));
    await Promise.all(this.links.flatMap(proxiesOf).map((proxy) => proxy.close()));
    await this.kubernetes?.stop();
    await this.pooler?.stop();
    const servers = [this.standIns, this.redis, this.postgres, ...this.retired];
    await Promise.allSettled(servers.map(async (server) => server?.stop()));
  }

  /**
   * A managed fail-over of Redis: a replica takes over and new connections reach it. Open connections stay at the former
   * primary, which refuses writes as a replica.
   */
  async failOverRedis(): Promise<void> {
    const former = this.redis!;
    const replica = await startTestRedis();
    this.retired.push(former);
    await followRedis(replica, former.port);
    await withRedis(former.url, (client) => client.replicaof('127.0.0.1', replica.port));
    await withRedis(replica.url, (client) => client.replicaof('NO', 'ONE'));
    this.redis = replica;
    for (const { redis } of this.links) redis?.retarget(replica.port);
  }

  /** Promotes a standby by force, while no pod reaches the primary, and lets them reach it. */
  async failOverPostgres(standby: PostgresUnderTest): Promise<void> {
    const proxies = this.links.flatMap(({ postgres }) => postgres ?? []);
    for (const proxy of proxies) proxy.refuse();
    await standby.promote();
    this.retired.push(this.postgres);
    this.postgres = standby;
    const port = await standby.port();
    for (const proxy of proxies) {
      proxy.retarget(port);
      proxy.admit();
    }
  }

  /** Writes a file with results for people to read. */
  async keep(fileName: string, content: string): Promise<void> {
    await writeFile(join(this.options.directory, fileName), content);
  }

  branchOf(repository: { project_id: number | string; branch: string }): Branch {
    const project = this.projects.findIndex(({ id }) => id === Number(repository.project_id));
    return { project, name: repository.branch };
  }

  private async begin(): Promise<void> {
    if (this.options.isPooled) this.pooler = await this.startPooler();
    for (const [index, gitDir] of this.code.directories.entries())
      this.projects.push(await this.standIns.call('addProject', { path: `team/project-${index}`, gitDir }));
    const podCount = this.options.mode === 'standalone' ? 1 : this.options.podCount;
    for (let slot = 0; slot < podCount; slot++) {
      this.links.push(await this.openLinks());
      this.slots.push(this.makePod(slot, podName(slot)));
    }
    // This is an upgrade: this version migrates the schema, and the other one runs on it.
    await this.startPod(this.slots[0]!, 0);
    await Promise.all(this.slots.slice(1).map((pod, index) => this.startPod(pod, index + 1)));
    await installAudit(this.postgres);
  }

  private async startPooler(): Promise<PgBouncer> {
    const binary = findPgBouncer();
    if (binary === null) throw new Error('PgBouncer is missing (apt-get install pgbouncer).');
    return startPgBouncer(binary, await this.postgres.url(), POOL);
  }

  private async postgresPort(): Promise<number> {
    return this.pooler ? Number(new URL(this.pooler.url).port) : this.postgres.port();
  }

  private async postgresUrl(port: number): Promise<string> {
    if (!this.pooler) return this.postgres.url(port);
    const url = new URL(this.pooler.url);
    url.port = String(port);
    return url.href;
  }

  private async openLinks(): Promise<PodLinks> {
    const isAlone = this.options.mode === 'standalone';
    const qdrantPort = Number(new URL(this.addresses.qdrantUrl).port);
    return {
      postgres: isAlone ? null : await startTcpProxy({ port: await this.postgresPort() }),
      redis: this.redis && (await startTcpProxy({ port: this.redis.port })),
      qdrant: isAlone ? null : await startTcpProxy({ port: qdrantPort }),
    };
  }

  private makePod(slot: number, name: string): Pod {
    const { skewsSeconds = [0], directory, otherBundle } = this.options;
    const pod = new Pod({
      name,
      skewSeconds: skewsSeconds[slot % skewsSeconds.length] ?? 0,
      logDirectory: join(directory, 'logs'),
      ...(otherBundle !== undefined && slot % 2 === 1 ? { bundle: otherBundle } : {}),
    });
    this.everyPod.push(pod);
    this.kubernetes?.setPod(name);
    return pod;
  }

  private async startPod(pod: Pod, slot: number): Promise<void> {
    this.slots[slot] = pod;
    // The kubelet also restarts a container that failed to start.
    pod.onUnaskedEnd(() =>
      setTimeout(() => void this.revive(slot).catch(() => undefined), RESTART_AFTER_CRASH_MS),
    );
    await pod.start(await this.environmentOf(pod, slot));
  }

  private async environmentOf(pod: Pod, slot: number): Promise<Record<string, string>> {
    const { directory, timings, mode, podCount } = this.options;
    const { gitlabUrl, gitlabToken, embeddingUrl } = this.addresses;
    const links = this.links[slot]!;
    return {
      POD_NAME: pod.name,
      HOST: '127.0.0.1',
      PORT: '0',
      REPOTIDE_ADMIN_TOKEN: this.token,
      API_RATE_LIMIT_PER_MINUTE: '0',
      REPOTIDE_DATA_DIR: join(directory, 'data'),
      GITLAB_URL: gitlabUrl,
      GITLAB_TOKEN: gitlabToken,
      EMBEDDING_URL: embeddingUrl,
      EMBEDDING_DIMENSIONS: DIMENSIONS,
      ...environmentOf(timings),
      // The one pod has the workers of all: with five, the same load would wait for them.
      ...(mode === 'standalone' ? { WORKER_CONCURRENCY: String(5 * podCount) } : {}),
      ...this.options.settings,
      ...(this.kubernetes && {
        ...this.kubernetes.env,
      }),
      ...(links.qdrant ? { QDRANT_URL: `http://127.0.0.1:${links.qdrant.port}` } : {}),
      ...(links.postgres ? { DATABASE_URL: await this.postgresUrl(links.postgres.port) } : {}),
      ...(links.redis ? { REDIS_URL: `redis://127.0.0.1:${links.redis.port}` } : {}),
    };
  }
}

/** Resolves when the server has copied everything from the one at that port. */
async function followRedis({ url }: TestRedis, port: number): Promise<void> {
  await withRedis(url, async (client) => {
    await client.replicaof('127.0.0.1', port);
    while (!(await client.info('replication')).includes('master_link_status:up')) await sleep(50);
  });
}

export function proxiesOf({ postgres, redis, qdrant }: PodLinks): TcpProxy[] {
  return [postgres, redis, qdrant].filter((proxy) => proxy !== null);
}

function podName(slot: number): string {
  return `pod-${slot}`;
}

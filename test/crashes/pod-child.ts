// One pod of the crash matrix: the service's own adapters and modules, without HTTP and timers. It reads one JSON line for
// each round of work, and writes one when the round has ended, or dies in the middle of it.
import 'reflect-metadata';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { createDiscoveryStore } from '@adapters/postgres';
import { prepareContent } from '@core/indexing';
import { type Lease, type ManifestStore } from '@core/domain';
import { takeRun } from '@core/executions';
import { decideClaim, scheduleTiming } from '@core/schedules';
import { loadConfig, type Config } from '@platform/config';
import { CheckCollections } from '../../apps/server/src/chores/check-collections.js';
import {
  ActivateRebuilds,
  DropRetiredIndexes,
  PointAliases,
} from '../../apps/server/src/chores/maintain-indexes.js';
import { QueueIndexChecks, QueuePurges } from '../../apps/server/src/chores/queue-runs.js';
import { RecoverLostRuns } from '../../apps/server/src/chores/recover-lost-runs.js';
import { openInfrastructure, type Infrastructure } from '../../apps/server/src/composition/infrastructure.js';
import { DiscoveryRunnerService } from '../../apps/server/src/discoveries/discovery-runner.service.js';
import { Metrics } from '../../apps/server/src/metrics/metrics.js';
import { silentLogger } from '../support/silent-logger.js';
import { type Round, type RoundResult } from './pod.js';

/** A few files in each batch, so that a small repository has several. */
const SMALL_BATCHES = { batchFiles: 3, batchChunks: 8 };

/** Of 50 ms and more: a row may be locked by a connection of a dead process, or its lease may not be free yet. */
const MOST_ROUNDS = 100;

/** Counts the steps of a round, and ends the process at one of them. */
class Steps {
  readonly passed: string[] = [];
  private readonly counts = new Map<string, number>();

  constructor(private readonly round: Round) {}

  /** The port, with each of its steps instrumented. */
  wrap<Port extends object>(port: Port, name: string): Port {
    const steps = new Set(this.round.steps[name]);
    return new Proxy(port, {
      get: (target, key) => {
        const member: unknown = Reflect.get(target, key, target);
        if (typeof member !== 'function') return member;
        const call = (...args: unknown[]): unknown => Reflect.apply(member, target, args);
        return typeof key === 'string' && steps.has(key) ? this.step(`${name}.${key}`, call) : call;
      },
    });
  }

  private step(name: string, call: (...args: unknown[]) => unknown) {
    return (...args: unknown[]): unknown => {
      const nth = (this.counts.get(name) ?? 0) + 1;
      this.counts.set(name, nth);
      this.passed.push(name);
      this.dieAt('before', name, nth);
      const answer = call(...args);
      if (isStream(answer)) return this.streamed(answer, name, nth);
      return (answer as Promise<unknown>).then((value) => {
        this.dieAt('after', name, nth);
        return value;
      });
    };
  }

  private async *streamed(pages: AsyncIterable<unknown>, name: string, nth: number): AsyncGenerator {
    yield* pages;
    this.dieAt('after', name, nth);
  }

  private dieAt(side: 'before' | 'after', name: string, nth: number): void {
    const { die } = this.round;
    if (die?.step === name && die.side === side && die.nth === nth) process.kill(process.pid, 'SIGKILL');
  }
}

function isStream(answer: unknown): answer is AsyncIterable<unknown> {
  return typeof answer === 'object' && answer !== null && Symbol.asyncIterator in answer;
}

/** All ports that the pod uses, instrumented. */
function instrument(opened: Infrastructure, steps: Steps) {
  const ofLease = (lease: Lease | null): Lease | null => lease && steps.wrap(lease, 'Lease');
  const leases = steps.wrap(opened.leases, 'LeaseManager');
  const manifestOf = (store: ManifestStore): ManifestStore => {
    const of = (generationId: string) => steps.wrap(store.of(generationId), 'Manifest');
    return Object.assign(steps.wrap(Object.assign({}, store), 'Manifest'), { of });
  };
  const { configured } = opened.embedders;
  const embedder = steps.wrap(configured, 'Embedder');
  const ports = {
    schedules: steps.wrap(opened.schedules, 'ScheduleStore'),
    executions: steps.wrap(opened.executions, 'ExecutionStore'),
    repositories: steps.wrap(opened.repositories, 'RepositoryStore'),
    generations: steps.wrap(opened.generations, 'GenerationStore'),
    vectorStore: steps.wrap(opened.vectorStore, 'VectorStore'),
    discoveries: steps.wrap(createDiscoveryStore(opened.database), 'DiscoveryStore'),
    manifest: manifestOf(opened.manifest),
    leases: new Proxy(leases, {
      get: (target, key) => {
        const member: unknown = Reflect.get(target, key, target);
        if (key !== 'acquire') return member;
        return async (run: Parameters<typeof leases.acquire>[0]) => ofLease(await leases.acquire(run));
      },
    }),
    sources: {
      open: async (...args: Parameters<typeof opened.sources.open>) =>
        steps.wrap(await opened.sources.open(...args), 'Source'),
    },
    embedders: {
      configured: embedder,
      server: opened.embedders.server,
      find: (model: Parameters<typeof opened.embedders.find>[0]) => {
        const found = opened.embedders.find(model);
        return found === configured ? embedder : found;
      },
    },
    embeddingCache: steps.wrap(opened.handlerPorts.embeddingCache, 'EmbeddingCache'),
  };
  const contents = { prepare: async (job: Parameters<typeof prepareContent>[0]) => prepareContent(job) };
  Object.assign(opened.handlerPorts, ports, { contents, syncLimits: SMALL_BATCHES });
  Object.assign(opened.runnerPorts, ports);
  return ports;
}

/** What the pods of a service do in turn, until nothing is left to do. */
async function live(round: Round): Promise<RoundResult> {
  const config = loadConfig(round.env);
  const metrics = new Metrics();
  const opened = await openInfrastructure(config, silentLogger, metrics);
  const steps = new Steps(round);
  const ports = instrument(opened, steps);
  try {
    const work = { config, metrics, opened, ports, lostPods: round.lostPods };
    for (let rounds = 1; ; rounds++) {
      await workOnce(work);
      if (await isQuiet(opened)) break;
      if (rounds === MOST_ROUNDS) throw new Error(`Work is left after ${MOST_ROUNDS} rounds.`);
    }
    return { event: 'lived', steps: steps.passed, leases: await opened.leases.list() };
  } finally {
    await opened.close();
  }
}

interface Work {
  config: Config;
  metrics: Metrics;
  opened: Infrastructure;
  ports: ReturnType<typeof instrument>;
  lostPods: readonly string[];
}

async function workOnce({ config, metrics, opened, ports, lostPods }: Work): Promise<void> {
  const { schedules, executions, repositories, generations, vectorStore, discoveries } = ports;
  const { signal } = new AbortController();
  const lostRuns = new RecoverLostRuns(config, silentLogger, executions, ports.leases, metrics);
  await lostRuns.recover({ podNames: lostPods });
  await lostRuns.breakLeasesOf(lostPods);

  await schedules.setFirstTicks(scheduleTiming.next);
  while ((await schedules.claimDue(decideClaim, 20)).length > 0);
  const { hints } = opened;
  const runner = new DiscoveryRunnerService(
    ...([config, silentLogger, discoveries, ports.sources, hints, metrics] as const),
  );
  await runner['runDue']();
  for (const Chore of [QueuePurges, QueueIndexChecks]) await new Chore(executions, repositories).run();

  const settings = { podName: config.pod.name, heartbeatMs: 15_000, maxRunMs: 600_000 };
  for (;;) {
    const taken = await takeRun({}, opened.handlers, opened.runnerPorts, settings, signal);
    if (taken?.kind !== 'taken') break;
    await taken.finish();
  }
  await new ActivateRebuilds(generations, { judgeIfDue: () => Promise.resolve() }).run(signal);
  await new PointAliases(generations, vectorStore).run(signal);
  await new DropRetiredIndexes(silentLogger, generations, vectorStore).run(signal);
  await new CheckCollections(silentLogger, generations, vectorStore).run(signal);
}

/** False while a row is locked by a connection of a dead process, or a run still has its lease. */
async function isQuiet({ database }: Infrastructure): Promise<boolean> {
  const waiting = await database.query(
    `SELECT 1 FROM schedule_execution_logs WHERE status IN ('queued', 'running')
      UNION ALL SELECT 1 FROM discovery_runs WHERE status IN ('queued', 'running')
      UNION ALL SELECT 1 FROM repositories WHERE deleted_at IS NOT NULL AND purged_at IS NULL`,
  );
  if (waiting.length > 0) await sleep(50);
  return waiting.length === 0;
}

function say(message: object): void {
  process.stdout.write(`${JSON.stringify(message)}\n`);
}

say({ event: 'ready' });
for await (const line of createInterface({ input: process.stdin })) {
  const round = JSON.parse(line) as Round;
  say(
    await live(round).catch((error: unknown) => ({ event: 'failed', error: String((error as Error).stack) })),
  );
}

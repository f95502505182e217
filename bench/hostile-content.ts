import { join } from 'node:path';
import { generateRepository, startGitLabStandIn } from '@devkit';
import { hostileRepository } from '../test/support/hostile-repository.js';
import { createEmbeddedInstallation, type Service } from '../test/support/installation.js';
import { metricOf } from '../test/support/scrape.js';
import { execution, isOver, register, startSync } from '../test/support/service-resources.js';
import { atMost, type Benchmark } from './run/report.js';

const LOOP = 'nodejs_eventloop_lag';

export const hostile: Benchmark = {
  title: 'Hostile content',
  explains:
    'A repository whose files are made to harm is synced beside an ordinary one: 100,000 files in one folder, patterns, lines, names and texts that rules stumble over. Measured are the delay of the event loop and the answers of `/health/live`.',
  limits: 'Threads of content share two cores with the event loop, the database and the stand-ins.',
  async run({ isQuick, directory, progress }) {
    const scale = isQuick ? 0.05 : 1;
    const size = { files: Math.round(100_000 * scale), textBytes: Math.round(1_000_000 * scale) };
    const gitlab = await startGitLabStandIn();
    const installation = await createEmbeddedInstallation({
      GITLAB_URL: gitlab.url,
      GITLAB_TOKEN: gitlab.token,
      GITLAB_REQUESTS_PER_MINUTE: '0',
    });
    try {
      const bad = await hostileRepository(join(directory, 'hostile'), size);
      const { repository: normal } = await generateRepository(join(directory, 'normal'), {
        ...{ files: 300, totalBytes: 3_000_000, seed: 3 },
      });
      await gitlab.addProject({ path: 'team/hostile', gitDir: bad.directory, defaultBranch: 'main' });
      await gitlab.addProject({ path: 'team/normal', gitDir: normal.directory, defaultBranch: 'main' });
      const service = await installation.serve();
      progress('the ordinary repository');
      const ordinary = await measure(service, ['team/normal']);
      progress('the hostile and the ordinary repository');
      const both = await measure(service, ['team/hostile', 'team/normal']);
      const code = await service.stop();
      if (code !== 0) throw new Error(`The service ended on SIGTERM with exit code ${code}.`);
      return {
        input: `${size.files.toLocaleString('en')} hostile files`,
        tables: [
          {
            title: 'Delays in milliseconds',
            columns: [
              ...[{ title: 'repositories' }, { title: 'seconds' }, { title: 'event loop p99' }],
              ...[{ title: 'longest delay' }, { title: 'health p99' }, { title: 'longest health' }],
              { title: 'memory, MiB' },
            ],
            rows: [
              ['ordinary', ...cellsOf(ordinary)],
              ['hostile and ordinary', ...cellsOf(both)],
            ],
          },
        ],
        goals: [
          atMost('event loop p99', 100, both.loopP99, ' ms'),
          atMost('longest health answer', 1000, both.healthMax, ' ms'),
        ],
      };
    } finally {
      await installation.remove();
      await gitlab.stop();
    }
  },
};

/** Times in milliseconds. */
interface Delays {
  seconds: number;
  loopP99: number;
  loopMax: number;
  healthP99: number;
  healthMax: number;
  memoryMiB: number;
}

/** Sorted like the table's columns. */
function cellsOf({ seconds, loopP99, loopMax, healthP99, healthMax, memoryMiB }: Delays): number[] {
  return [seconds, loopP99, loopMax, healthP99, healthMax, memoryMiB];
}

async function measure(service: Service, paths: readonly string[]): Promise<Delays> {
  const begun = performance.now();
  const ids: string[] = [];
  for (const path of paths) {
    const { items } = await service.get<{ items: { id: string; project_path: string }[] }>(
      '/api/v1/repositories',
    );
    const known = items.find(({ project_path }) => project_path === path);
    ids.push(
      await startSync(service, known ?? (await register(service, path, { max_file_bytes: 5_000_000 }))),
    );
  }
  // Each reading of the metrics begins a new measurement.
  await metricOf(service, `${LOOP}_p99_seconds`);
  const health: number[] = [];
  for (let isDone = false; !isDone;) {
    const asked = performance.now();
    await (await fetch(`${service.url}/health/live`)).text();
    health.push(performance.now() - asked);
    await new Promise((resolve) => setTimeout(resolve, 50));
    if (health.length % 20 === 0) {
      const runs = await Promise.all(ids.map((id) => execution(service, id)));
      isDone = runs.every(isOver);
      if (isDone)
        for (const { status } of runs) if (status !== 'completed') throw new Error(`a run ${status}`);
    }
  }
  const seconds = (performance.now() - begun) / 1000;
  const text = await (await fetch(`${service.url}/metrics`)).text();
  const loop = (which: string) =>
    1000 * Number(new RegExp(`^${LOOP}_${which}_seconds (\\S+)$`, 'm').exec(text)?.[1]);
  health.sort((left, right) => left - right);
  return {
    seconds,
    loopP99: loop('p99'),
    loopMax: loop('max'),
    healthP99: health[Math.floor(health.length * 0.99)] ?? 0,
    healthMax: health.at(-1) ?? 0,
    memoryMiB: service.command.peakMemoryMiB(),
  };
}

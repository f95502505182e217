/**
 * Measures the event loop's delay and the answers of /health/live while a hostile repository is synced beside an ordinary
 * one. The hostile one: 100,000 files in one folder, patterns, lines, names and texts that rules stumble over.
 * `npm run bench:hostile [scale]`; a scale of 0.1 reduces the number of files and the length of texts to a tenth.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { generateRepository, startGitLabStandIn } from '@devkit';
import { hostileRepository } from '../test/support/hostile-repository.js';
import { createEmbeddedInstallation, type Service } from '../test/support/installation.js';
import { metricOf } from '../test/support/scrape.js';
import { execution, isOver, register, startSync } from '../test/support/service-resources.js';

const scale = Number(process.argv[2] ?? 1);
const LOOP = 'nodejs_eventloop_lag';

async function main(): Promise<void> {
  const directory = await mkdtemp(join(tmpdir(), 'repotide-bench-'));
  const gitlab = await startGitLabStandIn();
  const installation = await createEmbeddedInstallation({
    GITLAB_URL: gitlab.url,
    GITLAB_TOKEN: gitlab.token,
    GITLAB_REQUESTS_PER_MINUTE: '0',
  });
  try {
    const size = { files: Math.round(100_000 * scale), textBytes: Math.round(1_000_000 * scale) };
    const hostile = await hostileRepository(join(directory, 'hostile'), size);
    const { repository: normal } = await generateRepository(join(directory, 'normal'), {
      ...{ files: 300, totalBytes: 3_000_000, seed: 3 },
    });
    await gitlab.addProject({ path: 'team/hostile', gitDir: hostile.directory, defaultBranch: 'main' });
    await gitlab.addProject({ path: 'team/normal', gitDir: normal.directory, defaultBranch: 'main' });
    const service = await installation.serve();
    say(`${cpus()[0]?.model ?? 'unknown processor'}, Node.js ${process.version}, ${size.files} files`);
    say('');
    say('| repositories | time | event loop p99 | longest delay | health p99 | longest health | memory |');
    say('| --- | ---: | ---: | ---: | ---: | ---: | ---: |');
    await measure(service, 'ordinary', ['team/normal']);
    await measure(service, 'hostile and ordinary', ['team/hostile', 'team/normal']);
    say('');
    say(`The service ended on SIGTERM with exit code ${String(await service.stop())}.`);
  } finally {
    await installation.remove();
    await gitlab.stop();
    await rm(directory, { recursive: true, force: true });
  }
}

async function measure(service: Service, name: string, paths: readonly string[]): Promise<void> {
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
  const seconds = ((performance.now() - begun) / 1000).toFixed(0);
  const text = await (await fetch(`${service.url}/metrics`)).text();
  const loop = (which: string) =>
    ms(1000 * Number(new RegExp(`^${LOOP}_${which}_seconds (\\S+)$`, 'm').exec(text)?.[1]));
  health.sort((left, right) => left - right);
  const p99 = health[Math.floor(health.length * 0.99)] ?? 0;
  const memory = Math.round(service.command.peakMemoryMiB());
  say(
    `| ${name} | ${seconds} s | ${loop('p99')} | ${loop('max')} | ${ms(p99)} | ${ms(health.at(-1) ?? 0)} | ${memory} MiB |`,
  );
}

function ms(value: number): string {
  return `${value.toFixed(0)} ms`;
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}

await main();

/**
 * Measures the first sync of a repository of real source files beside its limit: a bare loop that reads the same blobs from
 * the same server, splits, embeds and stores, and does nothing else. All in one run: the bare loop, the service through git,
 * the service through the REST API; with the embedded store and with the Qdrant double. The embedding server costs nothing.
 * `npm run bench:first-sync -- [--quick] [--files 6000] [--delay 20] [--repeat 3] [--json FILE]`
 */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { type Input, realFiles } from './first-sync/input.js';
import { type Case, type Measured, Setting } from './first-sync/measure.js';

const { values: options } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    files: { type: 'string' },
    delay: { type: 'string', default: '0' },
    repeat: { type: 'string' },
    only: { type: 'string' },
    json: { type: 'string' },
  },
});
const repeats = Number(options.repeat ?? (options.quick ? 1 : 3));
const WARM_UP_FILES = 300;

const CASES: Case[] = (['embedded', 'qdrant'] as const).flatMap((store) =>
  (['limit', 'git', 'rest'] as const).map((way) => ({ store, way })),
);

async function main(): Promise<void> {
  const directory = await mkdtemp(join(tmpdir(), 'repotide-bench-'));
  try {
    const files = Number(options.files ?? (options.quick ? 1000 : 6000));
    const input = await realFiles(join(directory, 'input'), files, WARM_UP_FILES);
    const warmUp = await realFiles(join(directory, 'warm-up'), WARM_UP_FILES);
    const facts = factsOf(input);
    say(facts.join('; '));
    const setting = { input, warmUp, delayMs: Number(options.delay), directory };
    const found: Found[] = [];
    for (let round = 0; round < repeats; round++) {
      for (const one of CASES.filter(
        ({ store, way }) => (options.only ?? `${store} ${way}`) === `${store} ${way}`,
      ))
        found.push({ ...one, ...(await new Setting(setting).measure(one)) });
    }
    print(found);
    if (options.json !== undefined)
      await writeFile(options.json, `${JSON.stringify({ facts, found }, null, 2)}\n`);
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

type Found = Case & Measured;

function factsOf({ files, bytes }: Input): string[] {
  return [
    `${cpus().length} x ${cpus()[0]?.model ?? 'unknown processor'}`,
    `Node.js ${process.version}`,
    `${files} real source files of ${(bytes / 1e6).toFixed(1)} MB`,
    `${options.delay} ms a batch of texts`,
    `${repeats} rounds`,
  ];
}

function print(found: readonly Found[]): void {
  say('');
  say(
    '| store | way | seconds: minimum, median, maximum | of the limit | files/s | chunks/s | CPU s per 1,000 chunks | of it Postgres | memory | requests |',
  );
  say('| --- | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |');
  for (const { store, way } of CASES) {
    const runs = found.filter((run) => run.store === store && run.way === way);
    if (runs.length === 0) continue;
    const limit = median(
      found.filter((run) => run.store === store && run.way === 'limit'),
      'seconds',
    );
    const seconds = runs.map((run) => run.seconds).toSorted((a, b) => a - b);
    const middle = median(runs, 'seconds');
    const chunks = median(runs, 'chunks');
    const perThousand = (value: number) => ((value / chunks) * 1000).toFixed(2);
    say(
      `| ${store} | ${way} | ${[seconds[0]!, middle, seconds.at(-1)!].map((one) => one.toFixed(1)).join(', ')} | ` +
        `${(limit / middle).toFixed(2)} | ${Math.round(median(runs, 'files') / middle)} | ${Math.round(chunks / middle)} | ` +
        `${perThousand(median(runs, 'cpuSeconds') + median(runs, 'postgresSeconds'))} | ` +
        `${perThousand(median(runs, 'postgresSeconds'))} | ` +
        `${Math.round(median(runs, 'peakMiB'))} MiB | ${median(runs, 'requests')} |`,
    );
  }
}

function median(runs: readonly Found[], field: keyof Measured): number {
  const sorted = runs.map((run) => run[field]).toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? NaN;
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}

await main();

/**
 * Measures the first sync of a very large repository, and a later sync that lists all of it: memory, time, requests and bytes, for
 * 100,000 small files and for 2 GB in few files. Fails when a sync is not complete or uses more than 512 MiB.
 * `npm run build && node --no-warnings --import ./test/support/register-typescript.mjs bench/large-repositories.ts [scale]`
 * A scale of 0.1 reduces everything to a tenth.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { startGitLabStandIn, type GitLabStandIn, type GitRepository } from '@devkit';
import { runCommand } from '../test/support/command-line.js';
import { manySmallFiles, sparseRepository } from '../test/support/huge-repositories.js';

const MEMORY_LIMIT_MIB = 512;
const scale = Number(process.argv[2] ?? 1);
const scaled = (count: number) => Math.max(1, Math.round(count * scale));

/** The fields of the command line's report that are printed. */
interface Row {
  duration_seconds: number;
  source_requests: number;
  bytes_fetched: number;
  fetch_strategy: string;
}

/** Git, or endpoints of the API that the server does not offer. */
type Closed = 'git' | 'nothing' | 'archive' | 'archive and GraphQL';
const CLOSED: Record<Closed, RegExp | null> = {
  git: null,
  nothing: null,
  archive: /repository\/archive/,
  'archive and GraphQL': /repository\/archive|api\/graphql/,
};

async function main(): Promise<void> {
  const directory = await mkdtemp(join(tmpdir(), 'repotide-bench-'));
  try {
    say(`${cpus()[0]?.model ?? 'unknown processor'}, Node.js ${process.version}`);
    say('');
    say('| repository | closed | memory | time | requests | bytes fetched | ways |');
    say('| --- | --- | ---: | ---: | ---: | ---: | --- |');
    const files = scaled(100_000);
    const small = await manySmallFiles(join(directory, 'small'), files);
    for (const closed of ['git', 'nothing', 'archive'] as const)
      await measure(`${files.toLocaleString('en')} small files`, small, closed, directory);
    const large = { smallFiles: scaled(2_000), largeFiles: scaled(20), mebibytesEach: 100 };
    const sparse = await sparseRepository(join(directory, 'sparse'), large);
    const gigabytes = ((large.largeFiles * large.mebibytesEach * 1024 * 1024) / 1e9).toFixed(1);
    for (const closed of ['git', 'nothing', 'archive', 'archive and GraphQL'] as const)
      await measure(
        `${gigabytes} GB, ${large.smallFiles.toLocaleString('en')} small files`,
        sparse,
        closed,
        directory,
      );
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

async function measure(name: string, git: GitRepository, closed: Closed, directory: string): Promise<void> {
  const gitlab = await startGitLabStandIn();
  const dataDir = await mkdtemp(join(directory, 'data-'));
  try {
    await gitlab.addProject({ path: 'huge/code', gitDir: git.directory, defaultBranch: 'main' });
    const url = CLOSED[closed];
    if (url !== null) gitlab.faults.add({ url, effect: { kind: 'status', status: 403 } });
    report(name, closed, await sync(gitlab, dataDir, closed));
    // One changed file makes the sync list every file and compare it with the manifest.
    git.write('src/part0/edited.ts', `export const closed = '${closed}';\n`);
    await git.commit();
    gitlab.faults.add({ url: /repository\/compare/, effect: { kind: 'status', status: 403 } });
    report(`${name}, one more`, closed, await sync(gitlab, dataDir, closed));
  } finally {
    await gitlab.stop();
    await rm(dataDir, { recursive: true, force: true });
  }
}

function report(name: string, closed: Closed, { run, memoryMiB }: Measured): void {
  const megabytes = (run.bytes_fetched / 1e6).toFixed(1);
  say(
    `| ${name} | ${closed} | ${Math.round(memoryMiB)} MiB | ${Math.round(run.duration_seconds)} s | ` +
      `${run.source_requests} | ${megabytes} MB | ${run.fetch_strategy} |`,
  );
  if (memoryMiB > MEMORY_LIMIT_MIB) throw new Error(`${name}: more than ${MEMORY_LIMIT_MIB} MiB`);
}

interface Measured {
  run: Row;
  memoryMiB: number;
}

async function sync(gitlab: GitLabStandIn, dataDir: string, closed: Closed): Promise<Measured> {
  const command = runCommand(['sync', 'huge/code', '--json'], {
    GITLAB_URL: gitlab.url,
    GITLAB_TOKEN: gitlab.token,
    REPOTIDE_DATA_DIR: dataDir,
    SOURCE_TRANSPORT: closed === 'git' ? 'auto' : 'rest',
  });
  const code = await command.ended;
  if (code !== 0) throw new Error(`sync ended with ${code}: ${command.stderr()}`);
  return { run: JSON.parse(command.stdout()) as Row, memoryMiB: command.peakMemoryMiB() };
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}

await main();

import { execFile, spawnSync } from 'node:child_process';
import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { createGitRepository } from '@devkit';
import { runCommand, until, type RunningCommand } from '../support/command-line.js';

const run = promisify(execFile);
const PAGE = new URL('../../docs/api.md', import.meta.url);

/** Tools that the page needs and the project does not. */
const hasTools = ['bash', 'curl'].every((tool) => spawnSync(tool, ['--version']).status === 0);
const itWithTools = hasTools ? it : it.skip;

let directory: string;
let service: RunningCommand;
let url: string;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'repotide-docs-api-'));
  const git = await createGitRepository(join(directory, 'git'));
  git.write(
    'src/settings.ts',
    '// Reads the settings from the environment.\nexport const settings = process.env;\n',
  );
  git.write('yarn.lock', 'left out by a rule\n');
  await git.commit('Files');
  // The command of the page, on a free port.
  const env = { PORT: '0', REPOTIDE_ADMIN_TOKEN: 'only-for-trying-it', API_RATE_LIMIT_PER_MINUTE: '0' };
  service = runCommand(['demo', '--serve', git.directory], env);
  const address = (): string | undefined => /listens on (http:\S+)/.exec(service.stderr())?.[1];
  await until('the service to listen', () => address() !== undefined);
  url = address()!;
});

afterAll(async () => {
  expect(await service.end('SIGTERM')).toBe(0);
  await rm(directory, { recursive: true, force: true });
});

/** The statuses other than success that the page announces. */
function announced(block: string): number[] {
  return [...block.matchAll(/^# Answers (\d{3})/gm)].map(([, status]) => Number(status));
}

itWithTools('every block of docs/api.md runs unchanged, and fails only where the page says so', async () => {
  const page = await readFile(PAGE, 'utf8');
  const blocks = [...page.matchAll(/^```sh\n(.*?)^```/gms)].map(([, block]) => block!);
  expect(blocks.length).toBeGreaterThan(10);

  // A curl that writes the response headers of each call to a file of its block.
  const { stdout } = await run('bash', ['-c', 'command -v curl']);
  const wrapper = join(directory, 'curl');
  await writeFile(wrapper, `#!/bin/sh\nexec ${stdout.trim()} -D "$HEADERS/$BLOCK.$$" "$@"\n`);
  await chmod(wrapper, 0o755);
  const collect = (number: number): string =>
    `cat "$HEADERS/$BLOCK".* 2>/dev/null | grep -a '^HTTP/' | cut -d' ' -f2 | tr '\n' ' ' > "$HEADERS/statuses.${number}"`;
  const script = blocks
    .map((block, number) => `export BLOCK=${number}\n${block}\n${collect(number)}\n`)
    .join('\n');
  const env = { PATH: `${directory}${delimiter}${process.env.PATH}`, HEADERS: directory, URL: url };
  await run('bash', ['-euc', script], { env, timeout: 90_000 });

  for (const [number, block] of blocks.entries()) {
    const seen = await readFile(join(directory, `statuses.${number}`), 'utf8');
    const failures = seen
      .split(' ')
      .map(Number)
      .filter((status) => status >= 300);
    expect({ block, failures }).toEqual({ block, failures: announced(block) });
    expect(seen.trim() === '').toBe(!block.includes('curl '));
  }
});

import { execFile } from 'node:child_process';
import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
interface Lockfile {
  packages: Record<string, { version: string; license?: string; dev?: boolean; devOptional?: boolean }>;
}

let directory: string;
let lockfile: Lockfile;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'repotide-supply-chain-'));
  lockfile = JSON.parse(await readFile(join(ROOT, 'package-lock.json'), 'utf8')) as Lockfile;
});
afterAll(() => rm(directory, { recursive: true }));

/** Runs a script of deploy/supply-chain. */
function run(script: string, args: readonly string[] = [], path = process.env['PATH'] ?? '') {
  const file = join(ROOT, 'deploy/supply-chain', script);
  const env = { PATH: path, HOME: directory };
  return new Promise<{ code: unknown; stdout: string; stderr: string }>((resolve) =>
    execFile(process.execPath, [file, ...args], { env, cwd: ROOT }, (error, stdout, stderr) =>
      resolve({ code: error ? error.code : 0, stdout, stderr }),
    ),
  );
}

describe('the check of licences', () => {
  const check = async (changes: Lockfile['packages']) => {
    const file = join(directory, 'package-lock.json');
    await writeFile(file, JSON.stringify({ packages: { ...lockfile.packages, ...changes } }));
    return run('licences.mjs', [file]);
  };

  it('accepts all packages of the lockfile', async () => {
    expect(await run('licences.mjs')).toEqual({ code: 0, stdout: '', stderr: '' });
  });

  it.each([
    ['GPL-3.0-only', {}],
    ['MIT AND GPL-3.0-only', {}],
    ['MPL-2.0', {}],
    ['SSPL-1.0', { dev: true }],
    [undefined, { dev: true }],
  ])('refuses a package with the licence %s %j, and names it', async (license, kind) => {
    const found = { version: '1.2.3', ...(license && { license }), ...kind };
    const { code, stderr } = await check({ 'node_modules/a/node_modules/@b/odd': found });
    expect([code, stderr]).toEqual([
      1,
      expect.stringContaining(`@b/odd@1.2.3 has the licence "${license ?? 'none'}"`),
    ]);
  });

  it('accepts a choice with one permissive licence', async () => {
    const { code } = await check({
      'node_modules/odd': { version: '1.0.0', license: '(MIT OR GPL-2.0-only)' },
    });
    expect(code).toBe(0);
  });
});

describe('the bill of materials', () => {
  it('lists every production package with its hash, and is the same each time', async () => {
    const files = ['one', 'two'].map((name) => pathToFileURL(join(directory, `${name}.json`)).href);
    for (const file of files) expect(await run('sbom.mjs', [file])).toMatchObject({ code: 0 });
    const [first, second] = await Promise.all(files.map((file) => readFile(new URL(file), 'utf8')));
    expect(first).toBe(second);
    const document = JSON.parse(first!) as {
      bomFormat: string;
      metadata: { component: { name: string } };
      components: { name: string; version: string; hashes?: unknown[] }[];
    };
    expect([document.bomFormat, document.metadata.component.name]).toEqual(['CycloneDX', 'repotide']);
    const listed = new Set(document.components.map(({ name, version }) => `${name}@${version}`));
    const needed = Object.entries(lockfile.packages)
      .filter(([path, { dev }]) => path !== '' && !dev)
      .map(([path, { version }]) => `${path.split('node_modules/').at(-1)}@${version}`);
    const missing = needed.filter((name) => !listed.has(name));
    expect(missing).toEqual([]);
    expect(listed.has(`jest@${lockfile.packages['node_modules/jest']!.version}`)).toBe(false);
    expect(document.components.filter(({ hashes }) => !hashes?.length)).toEqual([]);
  });
});

describe('the gate of advisories', () => {
  /** @param npm what the command `npm` of this test does. */
  const gate = async (npm: string, seconds = '15') => {
    const file = join(directory, 'npm');
    await writeFile(file, `#!${process.execPath}\n${npm}\n`);
    await chmod(file, 0o755);
    return run('audit.mjs', [seconds], `${directory}${delimiter}${process.env['PATH'] ?? ''}`);
  };
  const reported = (severity: string) => {
    const vulnerabilities = { bad: { name: 'bad', severity, range: '<2' } };
    return `console.log(${JSON.stringify(JSON.stringify({ vulnerabilities, metadata: { vulnerabilities: {} } }))}); process.exit(1);`;
  };

  it('fails for a package with a severe advisory, and names it', async () => {
    const { code, stderr } = await gate(reported('critical'));
    expect([code, stderr]).toEqual([1, 'bad <2: critical. See "npm audit".\n']);
  });

  it.each([
    ['a moderate advisory', reported('moderate'), '15', /^Advisories were checked/],
    [
      'a registry that refuses',
      `console.log('{"statusCode":405}'); process.exit(1);`,
      '15',
      /^Advisories were not checked/,
    ],
    ['no answer', 'process.exit(1)', '15', /^Advisories were not checked/],
    ['a registry that is silent', 'setInterval(() => {}, 1000)', '1', /^Advisories were not checked/],
  ])('succeeds with %s', async (_what, npm, seconds, says) => {
    const { code, stdout } = await gate(npm, seconds);
    expect([code, stdout]).toEqual([0, expect.stringMatching(says)]);
  });
});

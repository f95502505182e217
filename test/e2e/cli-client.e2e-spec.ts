import { chmod, mkdir, mkdtemp, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { UNKNOWN_ID } from '../support/registration.js';
import { freePort } from '../support/free-port.js';
import { until } from '../support/command-line.js';
import { createIndexWorld, PROJECT, type IndexWorld, type ReportedRow } from '../support/index-world.js';
import { ADMIN_TOKEN, type Service } from '../support/installation.js';
import { isOver, executionThat } from '../support/service-resources.js';

let world: IndexWorld;
let service: Service;
let home: string;

beforeAll(async () => {
  world = await createIndexWorld();
  world.git.write('src/settings.ts', '// Reads the settings.\n');
  world.git.write('yarn.lock', 'left out by a rule\n');
  await world.git.commit('Files');
  service = await world.installation.serve();
  home = join(world.installation.dataDir, 'home');
  await mkdir(home, { recursive: true });
});
afterAll(() => world?.remove());

function start(args: readonly string[], env: Record<string, string> = {}) {
  // Neither the stores nor GitLab: whatever succeeds was done by the service.
  const none = {
    DATABASE_URL: '',
    GITLAB_URL: '',
    GITLAB_TOKEN: '',
    EMBEDDING_URL: '',
    XDG_CONFIG_HOME: home,
  };
  return world.installation.run(args, {
    ...none,
    REPOTIDE_URL: service.url,
    REPOTIDE_TOKEN: ADMIN_TOKEN,
    ...env,
  });
}

async function repotide(args: readonly string[], env: Record<string, string> = {}) {
  const command = start(args, env);
  const code = await command.ended;
  return { code, stdout: command.stdout(), stderr: command.stderr() };
}

async function json<T>(...args: string[]): Promise<T> {
  const { code, stdout, stderr } = await repotide([...args, '--json']);
  expect([code, stderr]).toEqual([0, '']);
  return JSON.parse(stdout) as T;
}

describe('repotide as the client of a running service', () => {
  it.each([
    ['repo list', 'No repository is registered yet. Register one: repotide repo add <group/project>'],
    ['repo list other', 'No repository matches; "repotide repo list" lists all.'],
    ['schedule list', 'There is no schedule yet. Add one: repotide schedule add <group/project> "H * * * *"'],
    ['runs', 'There are no runs yet. Start one: repotide sync <group/project>'],
    ['runs --status failed', 'No run matches; "repotide runs" lists all.'],
    ['webhook list', 'There is no webhook yet. "repotide webhook add --help" shows how to add one.'],
    ['discover', 'There is no active discovery. Add one in the dashboard (Set up)'],
    ['verify', 'No repository is registered yet, so there is nothing to verify.'],
    ['profile list', 'There is no profile yet. Add one: repotide profile set <name>'],
  ])('says for "%s" of a new service that there is none, and what to do', async (line, sentence) => {
    const { code, stdout, stderr } = await repotide(line.split(' '));
    expect([code, stderr, stdout.trim().split('\n').length]).toEqual([0, '', 1]);
    expect(stdout).toContain(sentence);
  });

  it('registers, shows, changes and lists a repository', async () => {
    const added = await json<{ id: string }>(
      'repo',
      'add',
      PROJECT,
      '--exclude',
      '**/*.lock',
      '--schedule',
      '0 3 1 1 *',
    );
    const shown = await json('repo', 'show', PROJECT);
    expect(shown).toMatchObject({ id: added.id, project_path: PROJECT, exclude_globs: ['**/*.lock'] });
    expect(await json('repo', 'set', `${PROJECT}@main`, '--max-file-bytes', '5000')).toMatchObject({
      max_file_bytes: 5000,
      exclude_globs: ['**/*.lock'],
    });
    expect((await repotide(['repo', 'list', 'TEAM'])).stdout).toMatch(/team\/app +main +- +never +repotide/);
    const nothing = await repotide(['repo', 'set', PROJECT]);
    expect(nothing).toMatchObject({ code: 2, stderr: expect.stringContaining('[nothing_to_change]') });
  });

  it('starts a run and prints its id, follows it, and lists it with the path of its repository', async () => {
    const started = await repotide(['sync', PROJECT]);
    expect([started.code, started.stderr]).toEqual([0, '']);
    const [id] = /[0-9a-f-]{36}/.exec(started.stdout) ?? [];
    expect(started.stdout).toContain(`repotide cancel ${id}`);
    const followed = await repotide(['logs', '-f', id!]);
    expect(followed).toMatchObject({
      code: 0,
      stdout: expect.stringContaining(`${PROJECT}@main: completed in `),
    });

    const waited = await repotide(['sync', PROJECT, '--follow']);
    expect(waited).toMatchObject({ code: 0, stdout: expect.stringContaining(`${PROJECT}: completed in`) });
    const rows = await json<ReportedRow[]>(
      'runs',
      '--repo',
      PROJECT,
      '--status',
      'completed',
      '--since',
      '1h',
    );
    expect(rows.map((row) => row.status)).toEqual(['completed', 'completed']);
    expect(rows.at(-1)).toMatchObject({ id, requested_by: 'REPOTIDE_ADMIN_TOKEN' });
    const table = await repotide(['runs']);
    expect(table.stdout).toMatch(new RegExp(`${PROJECT}@main .* completed .* ${id}`));
  });

  it('evaluates questions with known answers in each mode', async () => {
    const file = join(home, 'questions.yaml');
    await writeFile(
      file,
      '- question: settings\n  expected: src/settings.ts:1\n- question: x\n  expected: no/file\n',
    );
    const results = await json<object[]>('evaluate', '-f', file);
    expect(results).toMatchObject([
      { mode: 'hybrid', questions: 2, recall10: 0.5 },
      { mode: 'dense', questions: 2 },
      { mode: 'lexical', questions: 2, recall10: 0.5 },
    ]);
    expect((await repotide(['evaluate', '-f', file])).stdout).toMatch(/nDCG@10\n {2}hybrid +2 /);
    await writeFile(file, '- question: settings\n');
    const wrong = await repotide(['evaluate', '-f', file]);
    expect(wrong).toMatchObject({ code: 2, stderr: expect.stringContaining('Question 1 of') });
  });

  it('searches, verifies and says why a file is not in the index', async () => {
    expect((await repotide(['search', 'settings'])).stdout).toContain('src/settings.ts:1');
    expect(await repotide(['verify'])).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('team/app at main: equal to the tree at'),
    });
    expect((await repotide(['files', 'list', PROJECT, '--status', 'skipped'])).stdout).toContain('yarn.lock');
    const why = await repotide(['files', 'why', 'yarn.lock']);
    expect(why).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/yarn\.lock of team\/app at main is not in the index: .+/),
    });
    const indexed = await repotide(['files', 'why', 'src/settings.ts', '-r', PROJECT]);
    expect(indexed.stdout).toContain('is in the index, in 1 chunk, since ');
    const unknown = await repotide(['files', 'why', 'src/set']);
    expect(unknown).toMatchObject({ code: 1, stdout: '' });
    expect(unknown.stderr).toContain('has no file src/set.');
    const { repositories } = await json<{ repositories: object[] }>('status');
    expect(repositories).toMatchObject([{ project_path: PROJECT }]);
  });

  it('adds, changes, pauses, lists and removes schedules', async () => {
    const [only] = await json<{ id: string }[]>('schedule', 'list', '--repo', PROJECT);
    expect(
      await json('schedule', 'set', PROJECT, '--cron', '5 4 * * *', '--timezone', 'Europe/Berlin'),
    ).toMatchObject({
      id: only!.id,
      cron_expression: '5 4 * * *',
    });
    expect(await json<string[]>('schedule', 'next', PROJECT)).toHaveLength(5);
    await json('schedule', 'set', only!.id, '--pause');
    expect((await repotide(['schedule', 'list'])).stdout).toMatch(
      /team\/app@main +5 4 \* \* \* +Europe\/Berlin +paused/,
    );
    const second = await json<{ id: string }>('schedule', 'add', PROJECT, 'H * * * *');
    expect(await repotide(['schedule', 'next', PROJECT])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('has 2 schedules; give an id:'),
    });
    const unconfirmed = await repotide(['schedule', 'remove', second.id]);
    expect(unconfirmed).toMatchObject({ code: 2, stderr: expect.stringContaining('Confirm it with --yes.') });
    expect((await repotide(['schedule', 'rm', second.id, '--yes'])).code).toBe(0);
    expect(await json<object[]>('schedule', 'list')).toHaveLength(1);
  });

  it('on Ctrl-C leaves the run running, and says where it runs and how to end it', async () => {
    world.git.write('src/slow.ts', '// slow\n');
    await world.git.commit('Slow');
    world.embedding.faults.add({ method: 'POST', effect: { kind: 'stall' } });
    const command = start(['sync', PROJECT, '--follow']);
    await until('the run to be shown', () => command.stderr() !== '');
    expect(await command.end('SIGINT')).toBe(130);
    const [, id] =
      new RegExp(`The run continues at ${service.url}; "repotide cancel (\\S+)" ends it`).exec(
        command.stderr(),
      ) ?? [];
    expect(await json('logs', id!)).toMatchObject({ status: 'running' });

    const busy = await repotide(['sync', PROJECT]);
    expect(busy).toMatchObject({ code: 4, stdout: '', stderr: expect.stringContaining('[run_in_progress]') });
    const late = await repotide(['logs', '-f', PROJECT, '--timeout', '1']);
    expect(late).toMatchObject({ code: 1, stderr: expect.stringContaining('did not end within 1 s') });
    // By the name of its repository.
    expect(await json('cancel', PROJECT)).toMatchObject({ id });
    await executionThat(service, id!, isOver);
    expect(await repotide(['logs', '-f', id!])).toMatchObject({
      code: 1,
      stdout: expect.stringContaining('cancelled in'),
    });
    expect(await repotide(['cancel', id!])).toMatchObject({ code: 0 });
    world.embedding.faults.clear();
  });

  it('shows a list again and again with --watch until Ctrl-C', async () => {
    const command = start(['runs', '--watch', '1']);
    await until('the second list', () => command.stdout().split('queued at').length > 2);
    expect(await command.end('SIGINT')).toBe(0);
  });

  it('removes a repository after a confirmation, and suggests the names of others for an unknown one', async () => {
    const unknown = await repotide(['repo', 'show', 'else/app']);
    expect(unknown).toMatchObject({ code: 1, stderr: expect.stringContaining(`Did you mean ${PROJECT}?`) });
    const mistyped = PROJECT.replace('app', 'pap');
    expect((await repotide(['logs', mistyped])).stderr).toContain(`Did you mean ${PROJECT}?`);
    for (const verb of ['logs', 'cancel'])
      expect(await repotide([verb, UNKNOWN_ID])).toMatchObject({
        code: 1,
        stderr: expect.stringContaining(
          `There is no run and no repository ${UNKNOWN_ID}. "repotide runs" lists the runs.`,
        ),
      });
    expect((await repotide(['repo', 'remove', PROJECT, '--yes'])).code).toBe(0);
    expect(await json('repo', 'list')).toEqual([]);
  });
});

describe('the target of repotide', () => {
  it('comes from a profile, and its token from a file, with a warning when everyone can read that', async () => {
    const file = join(home, 'token');
    await writeFile(file, `${ADMIN_TOKEN}\n`, { mode: 0o600 });
    const own = { REPOTIDE_URL: '', REPOTIDE_TOKEN: '' };
    const set = await repotide(['profile', 'set', 'here', '--url', service.url, '--token-file', file], own);
    expect(set.code).toBe(0);
    expect(await readFile(join(home, 'repotide', 'config.yaml'), 'utf8')).not.toContain(ADMIN_TOKEN);
    expect((await repotide(['profile', 'list'], own)).stdout).toMatch(/\* +here +http/);
    expect(await repotide(['repo', 'list'], own)).toMatchObject({ code: 0, stderr: '' });
    await chmod(file, 0o644);
    const open = await repotide(['repo', 'list', '--profile', 'here'], own);
    expect(open).toMatchObject({ code: 0, stderr: expect.stringContaining(`chmod 600 ${file}`) });
    const wrong = await repotide(['repo', 'list', '--profile', 'there'], own);
    expect(wrong).toMatchObject({ code: 2, stderr: expect.stringContaining('it has: here.') });
    expect((await repotide(['profile', 'remove', 'here'], own)).code).toBe(0);
  });

  it.each<[string, number, string, Record<string, string>]>([
    ['no service answers', 3, '[service_unreachable]', { REPOTIDE_URL: 'http://127.0.0.1:PORT' }],
    ['the token is unknown', 4, '[token_rejected]', { REPOTIDE_TOKEN: 'not-the-secret' }],
    ['there is no token', 2, '[token_missing]', { REPOTIDE_TOKEN: '' }],
    ['the address is none', 2, '[url_invalid]', { REPOTIDE_URL: 'localhost:3000' }],
    ['the token is no token', 2, '[token_invalid]', { REPOTIDE_TOKEN: 'not-the\nsecret' }],
    [
      'the token file is missing',
      2,
      '[token_file_unreadable]',
      { REPOTIDE_TOKEN: '', REPOTIDE_TOKEN_FILE: '/none' },
    ],
  ])('says so when %s, with exit code %i, and shows no token', async (_case, code, named, env) => {
    const url = env['REPOTIDE_URL']?.replace('PORT', String(await freePort()));
    const result = await repotide(['runs'], { ...env, ...(url !== undefined && { REPOTIDE_URL: url }) });
    expect(result).toMatchObject({ code, stdout: '', stderr: expect.stringContaining(named) });
    expect(result.stderr).not.toContain('secret');
    expect(result.stderr.split('\n')).toHaveLength(2);
  });
});

describe('the command line without a service', () => {
  it('lists, changes and searches with a service that it embeds, next to the running one with --local', async () => {
    const local = { REPOTIDE_URL: '', REPOTIDE_TOKEN: '' };
    const run = async (...args: string[]) => {
      const command = world.installation.run([...args, '--json'], local);
      const code = await command.ended;
      return { code, stdout: command.stdout(), stderr: command.stderr() };
    };
    await world.git.branch('side');
    const added = await run('repo', 'add', PROJECT, '--branch', 'side');
    expect([added.code, added.stderr]).toEqual([0, '']);
    expect(await json('repo', 'show', `${PROJECT}@side`)).toMatchObject({
      id: (JSON.parse(added.stdout) as { id: string }).id,
    });
    const [last] = await service.get<{ items: object[] }>('/api/v1/audit?limit=1').then(({ items }) => items);
    expect(last).toMatchObject({ action: 'repository.create', actor_name: 'cli' });
    expect(JSON.parse((await run('runs')).stdout)).toEqual(
      expect.arrayContaining([expect.objectContaining({ handler: 'repository_sync' })]),
    );
  });
});

describe('the start of the command line', () => {
  /** The files of the program that a command loads, as V8 lists them. */
  async function filesLoadedBy(run: typeof start, args: readonly string[]): Promise<string[]> {
    const folder = await mkdtemp(join(home, 'coverage-'));
    expect(await run(args, { NODE_V8_COVERAGE: folder }).ended).toBe(0);
    const reports = await Promise.all(
      (await readdir(folder)).map((name) => readFile(join(folder, name), 'utf8')),
    );
    const scripts = reports.flatMap((text) => (JSON.parse(text) as { result: { url: string }[] }).result);
    return scripts.map(({ url }) => url).filter((url) => url.includes('/dist/bundle/'));
  }

  const NEST = 'node_modules/@nestjs/core/';
  const METADATA = 'reflect-metadata';

  /** A file, with its source map, which names what the file was made of. */
  const sourcesOf = async (url: string): Promise<string> =>
    (await readFile(new URL(url), 'utf8')) + (await readFile(new URL(`${url}.map`), 'utf8'));

  it.each(['--help', 'repo add --help', 'completion bash', 'complete -- repo ', '--version', 'runs --json'])(
    'loads no module of the service for %s',
    async (line) => {
      const files = await filesLoadedBy(start, line.split(' '));
      expect(files).toContainEqual(expect.stringMatching(/main\.js$/));
      const texts = await Promise.all(files.map(sourcesOf));
      const forTheService = (text: string): boolean => text.includes(NEST) || text.includes(METADATA);
      expect(texts.filter(forTheService)).toEqual([]);
    },
  );

  it('loads the modules of the service for a command that embeds it', async () => {
    const files = await filesLoadedBy((args, env) => world.installation.run(args, env), ['migrate']);
    const texts = await Promise.all(files.map(sourcesOf));
    expect(texts.some((text) => text.includes(NEST))).toBe(true);
  });
});

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { createGitRepository } from '@devkit';
import { MAIN, runCommand, until, type RunningCommand } from '../support/command-line.js';

const ADMIN = 'admin-token-of-the-agents-test';
const SECRET = `glpat-${'x1Y2z3A4b5C6d7E8f9G0'}`;

let directory: string;
let service: RunningCommand;
let url: string;
let viewer: string;
let client: Client;

async function api<Body>(method: string, path: string, body?: object): Promise<Body> {
  const answer = await fetch(`${url}/api/v1${path}`, {
    method,
    headers: { Authorization: `Bearer ${ADMIN}`, 'Content-Type': 'application/json' },
    ...(body && { body: JSON.stringify(body) }),
  });
  return (await answer.json()) as Body;
}

async function connected(token: string): Promise<Client> {
  const agent = new Client({ name: 'test', version: '1' });
  const headers = { Authorization: `Bearer ${token}` };
  await agent.connect(new StreamableHTTPClientTransport(new URL('/mcp', url), { requestInit: { headers } }));
  return agent;
}

async function call(name: string, args: object, agent = client): Promise<{ text: string; isError: boolean }> {
  const { content, isError } = await agent.callTool({ name, arguments: { ...args } });
  const [part] = content as { text: string }[];
  return { text: part!.text, isError: isError === true };
}

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'repotide-mcp-'));
  const git = await createGitRepository(join(directory, 'git'));
  git.write(
    'src/settings.ts',
    '// Reads the settings.\n\nexport function readSettings() {\n  return process.env;\n}\n',
  );
  git.write('src/token.ts', `const first = 1;\nconst key = '${SECRET}';\n`);
  git.write('.env', 'PASSWORD=not-for-you\n');
  await git.commit('Files');
  service = runCommand(['demo', '--serve', git.directory], { PORT: '0', REPOTIDE_ADMIN_TOKEN: ADMIN });
  const address = (): string | undefined => /listens on (http:\S+)/.exec(service.stderr())?.[1];
  await until('the service to listen', () => address() !== undefined);
  url = address()!;
  const repository = await api<{ id: string }>('POST', '/repositories', { project_path: 'demo/project' });
  await api('POST', `/repositories/${repository.id}/sync`);
  await until('the sync', async () => {
    const { items } = await api<{ items: { status: string }[] }>('GET', '/executions');
    return items[0]?.status === 'completed';
  });
  ({ token: viewer } = await api<{ token: string }>('POST', '/tokens', { name: 'agent', role: 'viewer' }));
  client = await connected(viewer);
});

afterAll(async () => {
  await client.close();
  expect(await service.end('SIGTERM')).toBe(0);
  await rm(directory, { recursive: true, force: true });
});

describe('the tools of agents, over HTTP', () => {
  it('are listed with what they are for', async () => {
    const { tools } = await client.listTools();
    const names = ['search_code', 'find_definition', 'read_file', 'list_repositories', 'repository_status'];
    expect(tools.map(({ name }) => name)).toEqual(expect.arrayContaining(names));
    for (const { description, annotations } of tools) {
      expect(description!.length).toBeGreaterThan(50);
      expect(annotations).toMatchObject({ readOnlyHint: true });
    }
  });

  it('find code with its lines, and read more of the file', async () => {
    const found = await call('search_code', { query: 'readSettings', repository: 'demo/project' });
    expect(found.text).toContain('demo/project@main src/settings.ts:');
    const read = await call('read_file', {
      repository: 'demo/project',
      path: 'src/settings.ts',
      start_line: 3,
    });
    expect(read.text).toContain('src/settings.ts lines 3-5 of 5');
    expect(read.text).toContain('3 | export function readSettings() {\n4 |   return process.env;\n5 | }');
    expect(read.text).not.toContain('Reads the settings');
  });

  it('find text literally, or as a regular expression', async () => {
    const found = await call('search_code', { query: 'return process.e', mode: 'exact' });
    expect(found.text).toContain('src/settings.ts:');
    const pattern = await call('search_code', { query: '^export \\w+ read', mode: 'exact', regex: true });
    expect(pattern.text).toContain('src/settings.ts:');
    const broken = await call('search_code', { query: 'read(', mode: 'exact', regex: true });
    expect(broken).toMatchObject({ isError: true, text: expect.stringContaining('missing closing )') });
  });

  it('find the line that defines a name', async () => {
    const found = await call('find_definition', { name: 'readSettings' });
    expect(found.text).toContain('demo/project@main src/settings.ts:3-5');
    const missing = await call('find_definition', { name: 'neverDefined' });
    expect(missing).toMatchObject({ isError: true });
  });

  it('say what is indexed, how current it is, and what is left out', async () => {
    expect((await call('list_repositories', {})).text).toMatch(
      /demo\/project@main \(commit [0-9a-f]{10}, synced/,
    );
    const { text } = await call('repository_status', { repository: 'demo/project' });
    expect(text).toMatch(/Files: 2 indexed, 1 left out, 0 failed\.\nLeft out because: secret 1\./);
  });

  it('never show a secret', async () => {
    const redacted = await call('read_file', { repository: 'demo/project', path: 'src/token.ts' });
    expect(redacted.text).toMatch(/1 \| const first = 1;\n2 \| const key = '\[redacted:/);
    const refused = await call('read_file', { repository: 'demo/project', path: '.env' });
    expect(refused.isError).toBe(true);
    expect(refused.text).toContain('Files with secrets are not shown');
    expect(refused.text).not.toContain('not-for-you');
  });

  it('answer errors that say what to do', async () => {
    const unknown = await call('search_code', { query: 'x', repository: 'demo/projekt' });
    expect(unknown).toMatchObject({ isError: true });
    const similar = await call('repository_status', { repository: 'other/project' });
    expect(similar.text).toContain('Similar ones: demo/project@main');
    const past = await call('read_file', {
      repository: 'demo/project',
      path: 'src/settings.ts',
      start_line: 99,
    });
    expect(past.text).toContain('has 5 lines, so it has no line 99');
    const folder = await call('read_file', { repository: 'demo/project', path: 'src' });
    expect(folder.text).toContain('the first file in it is src/settings.ts');
  });

  it('find nothing outside the scope of the token', async () => {
    const scoped = (scope: string[]) =>
      api<{ token: string }>('POST', '/tokens', { name: `scoped ${scope[0]}`, role: 'viewer', scope });
    const inside = await connected((await scoped(['demo'])).token);
    expect((await call('list_repositories', {}, inside)).text).toContain('demo/project');
    await inside.close();
    const outside = await connected((await scoped(['elsewhere'])).token);
    const answers = await Promise.all([
      call('list_repositories', {}, outside),
      call('search_code', { query: 'readSettings' }, outside),
      call('find_definition', { name: 'readSettings' }, outside),
      call('read_file', { repository: 'demo/project', path: 'src/settings.ts' }, outside),
      call('repository_status', { repository: 'demo/project' }, outside),
    ]);
    for (const { text } of answers) expect(text).not.toMatch(/process\.env|settings\.ts|main/);
    expect(answers.slice(2).every(({ isError }) => isError)).toBe(true);
    await outside.close();
  });

  it('refuse wrong tokens and pages of other sites', async () => {
    await expect(connected('wrong')).rejects.toThrow();
    const headers = { Authorization: `Bearer ${viewer}`, Origin: 'https://elsewhere.example' };
    expect((await fetch(`${url}/mcp`, { method: 'POST', headers })).status).toBe(403);
  });
});

it('llms.txt describes the service without a token', async () => {
  const answer = await fetch(`${url}/llms.txt`);
  expect(answer.headers.get('content-type')).toContain('text/plain');
  expect(await answer.text()).toContain('[Model Context Protocol](/mcp)');
});

describe('repotide mcp', () => {
  it('offers the same tools over standard input and output', async () => {
    const agent = new Client({ name: 'test', version: '1' });
    const env = { REPOTIDE_URL: url, REPOTIDE_TOKEN: viewer, PATH: process.env.PATH! };
    await agent.connect(new StdioClientTransport({ command: process.execPath, args: [MAIN, 'mcp'], env }));
    const remote = (await client.listTools()).tools.map(({ name }) => name);
    expect((await agent.listTools()).tools.map(({ name }) => name)).toEqual(remote);
    expect((await call('search_code', { query: 'readSettings' }, agent)).text).toContain('src/settings.ts');
    await agent.close();
  });

  it('says which setting is wrong before an agent waits for it', async () => {
    const refused = runCommand(['mcp'], { REPOTIDE_URL: url, REPOTIDE_TOKEN: 'wrong' });
    expect(await refused.ended).toBe(1);
    expect(refused.stderr()).toContain('does not accept REPOTIDE_TOKEN');
    const unset = runCommand(['mcp'], { REPOTIDE_URL: '' });
    expect(await unset.ended).toBe(1);
    expect(unset.stderr()).toContain('REPOTIDE_URL must be the address of the service');
  });
});

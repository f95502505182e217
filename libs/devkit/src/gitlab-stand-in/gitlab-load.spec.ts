import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import pMap from 'p-map';
import { Agent, request } from 'undici';
import { listTree } from '../git/tree.js';
import { generateRepository } from '../git-fixtures/generate-repository.js';
import { type GitLabStandIn, startGitLabStandIn } from './gitlab-stand-in.js';

const FILES = 5000;
const TOTAL_BYTES = 50_000_000;

let folder: string;
let gitlab: GitLabStandIn;
let directory: string;
let agent: Agent;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'devkit-load-'));
  directory = join(folder, 'big.git');
  await generateRepository(directory, { files: FILES, totalBytes: TOTAL_BYTES, seed: 1 });
  gitlab = await startGitLabStandIn();
  await gitlab.addProject({ path: 'group/big', gitDir: directory });
  agent = new Agent({ connections: 8 });
});

afterAll(async () => {
  await agent.close();
  await gitlab.stop();
  await rm(folder, { recursive: true, force: true });
});

const ARCHIVE = '/api/v4/projects/1/repository/archive.tar.gz';

function askArchive() {
  return request(gitlab.url + ARCHIVE, { headers: { 'private-token': gitlab.token } });
}

afterEach(() => {
  gitlab.faults.clear();
  gitlab.resetLog();
});

describe('an archive of 50 MB from the GitLab stand-in', () => {
  it('can be truncated and still end properly', async () => {
    gitlab.faults.add({ url: /archive/, times: 1, effect: { kind: 'truncate', keepBytes: 100_000 } });
    const short = Buffer.from(await (await askArchive()).body.arrayBuffer());
    expect(short).toHaveLength(100_000);
    expect(() => gunzipSync(short)).toThrow('unexpected end of file');
    const whole = Buffer.from(await (await askArchive()).body.arrayBuffer());
    expect(gunzipSync(whole).length).toBeGreaterThan(TOTAL_BYTES);
  });

  it('leaves no process behind when the server stops during the download', async () => {
    const other = await startGitLabStandIn();
    await other.addProject({ path: 'group/big', gitDir: directory });
    const { body } = await request(other.url + ARCHIVE.replace('.gz', ''), {
      headers: { 'private-token': other.token },
    });
    const chunks = (body as AsyncIterable<Buffer>)[Symbol.asyncIterator]();
    await chunks.next();
    expect(archivers()).toHaveLength(1);
    await other.stop();
    expect(archivers()).toHaveLength(0);
    const rest = async () => {
      while (!(await chunks.next()).done);
    };
    await expect(rest()).rejects.toMatchObject({ code: 'UND_ERR_SOCKET' });
  });
});

describe('a redirect of the GitLab stand-in to another origin', () => {
  it('shows in the log of the target whether a client sends its token there', async () => {
    const stranger = await startGitLabStandIn();
    gitlab.faults.add({ url: /projects/, effect: { kind: 'redirect', to: stranger.url } });
    const url = `${gitlab.url}/api/v4/projects/1`;
    await fetch(url, { headers: { authorization: `Bearer ${gitlab.token}` } });
    await fetch(url, { headers: { 'private-token': gitlab.token } });
    expect(stranger.requests.map(({ path, token }) => [path, token])).toEqual([
      ['/api/v4/projects/1', 'absent'],
      ['/api/v4/projects/1', 'rejected'],
    ]);
    await stranger.stop();
  });
});

function archivers(): string[] {
  const lines = execFileSync('ps', ['-A', '-o', 'ppid=,args='], { encoding: 'utf8' }).split('\n');
  return lines.filter((line) => line.trim().startsWith(`${process.pid} `) && line.includes(' archive '));
}

describe('a repository of 5,000 files and 50 MB', () => {
  it('can be read blob by blob, and each blob has the bytes of its SHA', async () => {
    const tree = await listTree(directory, 'HEAD');
    const sizes = await pMap(
      tree,
      async ({ sha }) => {
        const { body } = await request(`${gitlab.url}/api/v4/projects/1/repository/blobs/${sha}/raw`, {
          headers: { 'private-token': gitlab.token },
          dispatcher: agent,
        });
        const bytes = Buffer.from(await body.arrayBuffer());
        const actual = createHash('sha1').update(`blob ${bytes.length}\0`).update(bytes).digest('hex');
        if (actual !== sha) throw new Error(`${sha} came as ${actual}`);
        return bytes.length;
      },
      { concurrency: 8 },
    );
    expect(sizes).toHaveLength(FILES);
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBe(TOTAL_BYTES);
    expect(gitlab.requests).toHaveLength(FILES);
  });
});

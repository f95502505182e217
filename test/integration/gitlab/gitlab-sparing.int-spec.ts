import { constants, createGzip, gzipSync } from 'node:zlib';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { type Source } from '@core/domain';
import { type GitLabStandIn, startGitLabStandIn } from '@devkit';
import { pack } from 'tar-stream';
import { until } from '../../support/command-line.js';
import { GitFixture } from './git-fixture.js';
import { failureOf, openSource } from './open-source.js';
import { startScriptedServer } from './scripted-server.js';

const FOUR_MEBIBYTES = 4 * 1024 * 1024;
const CONTENTS: Record<string, Buffer> = {
  'README.md': Buffer.from('# Tide\n'),
  'empty.txt': Buffer.alloc(0),
  'latin1.txt': Buffer.from('Größe: 5 µm\n', 'latin1'),
  'utf16.txt': Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from('naïve\n', 'utf16le')]),
  'bytes.bin': Buffer.from(Array.from({ length: 1024 }, (_, index) => index % 256)),
  'names/with space & ümlaut %2F #?.txt': Buffer.from('odd\n'),
  [`deep/${'folder/'.repeat(20)}file.txt`]: Buffer.from('far down\n'),
  'long/one.txt': Buffer.alloc(FOUR_MEBIBYTES, 'one\n'),
  'long/two.txt': Buffer.alloc(FOUR_MEBIBYTES, 'two\n'),
  'long/three.txt': Buffer.alloc(FOUR_MEBIBYTES, 'three\n'),
};
const signal = () => new AbortController().signal;

async function readAll(
  source: Source,
  projectId: number,
  commit: string,
  wanted = signal(),
): Promise<Buffer[]> {
  const files: Buffer[] = [];
  for await (const { bytes, sizeBytes } of source.readArchive(projectId, commit, wanted)) {
    const parts: Uint8Array[] = [];
    for await (const part of bytes) parts.push(part);
    files.push(Buffer.concat(parts));
    expect(files.at(-1)).toHaveLength(sizeBytes);
  }
  return files;
}
const ordered = (files: readonly Buffer[]) => files.map((file) => file.toString('base64')).sort();

describe('calls that spare requests', () => {
  let fixture: GitFixture;
  let gitlab: GitLabStandIn;
  let source: Source;
  let waits: number[];
  let first: string;
  let commit: string;
  let project: { projectId: number; projectPath: string };

  beforeAll(() => {
    fixture = new GitFixture();
    for (const [path, content] of Object.entries(CONTENTS)) fixture.write(path, content);
    fixture.write('old/name.txt', 'a file that will be called otherwise\n');
    fixture.write('gone.txt', 'gone\n');
    fixture.write('to-link.txt', 'file\n');
    fixture.write('script.sh', 'echo\n');
    fixture.stage();
    fixture.addToIndex('160000', 'b'.repeat(40), 'vendor/moved');
    first = fixture.commit('first');
    fixture.git('rm', '--quiet', 'gone.txt', 'to-link.txt');
    fixture.git('mv', 'old/name.txt', 'new-name.txt');
    fixture.link('to-link.txt', 'README.md');
    fixture.write('README.md', '# Tide, again\n');
    fixture.write('added.txt', 'added\n');
    fixture.git('add', 'to-link.txt', 'README.md', 'added.txt');
    fixture.git('update-index', '--chmod=+x', 'script.sh');
    fixture.addToIndex('160000', 'c'.repeat(40), 'vendor/moved');
    commit = fixture.commit('second');
  });
  afterAll(() => fixture.remove());

  beforeEach(async () => {
    gitlab = await startGitLabStandIn();
    const { id } = await gitlab.addProject({ path: 'group/tide', gitDir: fixture.dir });
    project = { projectId: id, projectPath: 'group/tide' };
    ({ source, waits } = await openSource(gitlab.url, { defaultToken: gitlab.token }));
  });
  afterEach(async () => {
    expect(gitlab.requests.map(({ failure }) => failure).filter((failure) => failure !== null)).toEqual([]);
    await gitlab.stop();
  });

  describe('a comparison', () => {
    const compare = (from: string) => source.compare(project.projectId, from, commit, signal());

    it('names what is there and what is gone, with modes and the commit of a submodule', async () => {
      const comparison = await compare(first);
      expect(comparison?.isComplete).toBe(true);
      expect(new Set(comparison?.changes)).toEqual(
        new Set([
          { kind: 'present', path: 'README.md', mode: '100644', commit: null },
          { kind: 'present', path: 'added.txt', mode: '100644', commit: null },
          { kind: 'gone', path: 'gone.txt' },
          { kind: 'gone', path: 'old/name.txt' },
          { kind: 'present', path: 'new-name.txt', mode: '100644', commit: null },
          { kind: 'present', path: 'script.sh', mode: '100755', commit: null },
          { kind: 'present', path: 'to-link.txt', mode: '120000', commit: null },
          { kind: 'present', path: 'vendor/moved', mode: '160000', commit: 'c'.repeat(40) },
        ]),
      );
    });

    it('looks back from a commit that is no ancestor', async () => {
      const back = await source.compare(project.projectId, commit, first, signal());
      expect(back?.changes).toContainEqual({ kind: 'gone', path: 'added.txt' });
    });

    it('says when the host left changes out, and is null for a commit that the host does not know', async () => {
      gitlab.settings.diffLimits.maxFiles = 3;
      expect(await compare(first)).toMatchObject({ isComplete: false });
      expect(await compare('d'.repeat(40))).toBeNull();
    });

    it('is not asked for again when the host cannot make it, and waits when it is told to', async () => {
      const restore = gitlab.faults.add({ effect: { kind: 'status', status: 502 } });
      expect(await failureOf(compare(first))).toMatchObject({ code: 'source_unavailable' });
      expect(gitlab.requests).toHaveLength(1);
      restore();
      gitlab.faults.add({ times: 1, effect: { kind: 'status', status: 429, retryAfterSeconds: 5 } });
      expect(await compare(first)).toMatchObject({ isComplete: true });
      expect(waits.length).toBeGreaterThan(0);
    });
  });

  describe('a batch', () => {
    const find = (paths: string[]) => source.findBlobs(project, commit, paths, signal());
    const read = (paths: string[]) => source.readTexts(project, commit, paths, signal());

    it('finds what git lists, and nothing that is no blob', async () => {
      const found = await find(['README.md', 'to-link.txt', 'script.sh', 'vendor/moved', 'gone.txt', 'long']);
      const listed = fixture.listTree(commit).filter(({ mode }) => mode !== '160000');
      for (const [path, entry] of found) expect(listed).toContainEqual({ path, ...entry });
      expect([...found.keys()].sort()).toEqual(['README.md', 'script.sh', 'to-link.txt']);
      expect(gitlab.requests).toHaveLength(1);
    });

    it('reads text byte for byte, and leaves out what is not UTF-8', async () => {
      const paths = ['README.md', 'empty.txt', 'latin1.txt', 'utf16.txt', 'bytes.bin', 'none.txt'];
      const texts = await read(paths);
      expect([...texts].map(([path, bytes]) => [path, Buffer.from(bytes).toString()]).sort()).toEqual([
        ['README.md', '# Tide, again\n'],
        ['empty.txt', ''],
      ]);
    });

    it('of long files is asked for in halves', async () => {
      const texts = await read(['long/one.txt', 'long/two.txt', 'long/three.txt', 'added.txt']);
      expect([...texts.keys()].sort()).toEqual([
        'added.txt',
        'long/one.txt',
        'long/three.txt',
        'long/two.txt',
      ]);
      // All; two halves that are too long; and the first half's two files.
      expect(gitlab.requests.length).toBeGreaterThan(2);
    });

    it('that the server refuses is refused, with its words and without the token', async () => {
      gitlab.settings.graphql.maxComplexity = 5;
      const refused = await failureOf(find(['README.md']));
      expect(refused).toMatchObject({ kind: 'invalid', code: 'source_query_refused' });
      expect(refused.message).toContain('complexity');
      expect(refused.message).not.toContain(gitlab.token);
      expect(gitlab.requests).toHaveLength(1);
    });

    it('of a project that has moved is not found', async () => {
      gitlab.moveProject(project.projectId, 'elsewhere/tide');
      expect(await failureOf(find(['README.md']))).toMatchObject({ kind: 'not_found' });
    });

    it('survives what passes, and is whole or not at all', async () => {
      gitlab.faults.add({ times: 1, effect: { kind: 'status', status: 502 } });
      gitlab.faults.add({ after: 1, times: 1, effect: { kind: 'cut', afterBytes: 30 } });
      expect((await read(['README.md'])).size).toBe(1);
      gitlab.faults.clear();
      gitlab.faults.add({ effect: { kind: 'truncate', keepBytes: 30 } });
      expect(await failureOf(read(['README.md']))).toMatchObject({ code: 'source_answer_invalid' });
    });
  });

  describe('an archive', () => {
    const files = (wanted?: AbortSignal) => readAll(source, project.projectId, commit, wanted);

    it('brings every file byte for byte, in one request, without LFS objects', async () => {
      const names = fixture.listTree(commit).filter(({ mode }) => mode.startsWith('100'));
      const expected = names.map(({ blobSha }) => fixture.git('cat-file', 'blob', blobSha));
      expect(ordered(await files())).toEqual(ordered(expected));
      expect(gitlab.requests).toHaveLength(1);
      expect(gitlab.requests[0]?.query).toEqual({ sha: commit, include_lfs_blobs: 'false' });
    });

    it('drops what is not read, and the rest when nobody asks on', async () => {
      let entries = 0;
      for await (const entry of source.readArchive(project.projectId, commit, signal())) {
        expect(entry.sizeBytes).toBeGreaterThanOrEqual(0);
        if (++entries === 3) break;
      }
      expect(entries).toBe(3);
    });

    it('closes its connection when nobody asks on, though the server has not said its last word', async () => {
      let closed = false;
      const server = await startScriptedServer((_, response) => {
        const archive = pack();
        archive.entry({ name: 'top/a.txt' }, 'a file\n');
        archive.entry({ name: 'top/b.txt' }, 'another\n');
        const packer = createGzip({ flush: constants.Z_SYNC_FLUSH });
        void (async () => {
          for await (const chunk of archive) packer.write(chunk);
        })();
        packer.pipe(response);
        response.on('close', () => {
          closed = true;
        });
      });
      const { source: other } = await openSource(server.url);
      for await (const entry of other.readArchive(1, commit, signal())) {
        expect(entry.sizeBytes).toBe(7);
        break;
      }
      await until('the connection to be closed', () => closed);
      await server.stop();
    });

    it('that was cut short by the server says so, wherever it ended', async () => {
      for (const keepBytes of [0, 5, 1000, 3000]) {
        const restore = gitlab.faults.add({ effect: { kind: 'truncate', keepBytes } });
        expect(await failureOf(files())).toMatchObject({ kind: 'temporary', code: 'archive_truncated' });
        restore();
      }
      gitlab.faults.add({ effect: { kind: 'corrupt' } });
      expect(await failureOf(files())).toMatchObject({ code: 'archive_truncated' });
      gitlab.faults.clear();
      gitlab.faults.add({ effect: { kind: 'status', status: 200, body: '<html>sign in</html>' } });
      expect(await failureOf(files())).toMatchObject({ code: 'archive_truncated' });
    });

    it('without its end is truncated, even where the packing is whole', async () => {
      const archive = pack();
      archive.entry({ name: 'top/a.txt' }, 'a file\n');
      const [block] = await archive[Symbol.asyncIterator]()
        .next()
        .then(({ value }) => [value as Buffer]);
      const body = Buffer.concat([block!, Buffer.from('a file\n'), Buffer.alloc(505)]);
      const server = await startScriptedServer((_, response) => response.end(gzipSync(body)));
      const { source: other } = await openSource(server.url);
      expect(await failureOf(readAll(other, 1, commit))).toMatchObject({ code: 'archive_truncated' });
      await server.stop();
    });

    it('is asked for once: a limit of its own holds no other call back', async () => {
      gitlab.settings.rateLimits.archive = { requests: 0, periodSeconds: 60 };
      expect(await failureOf(files())).toMatchObject({ kind: 'rate_limited' });
      await source.headOf(project.projectId, 'main', signal());
      expect(waits).toEqual([]);
      gitlab.settings.rateLimits.archive = null;
      gitlab.faults.add({ url: /archive/, effect: { kind: 'cut', afterBytes: 100 } });
      expect(await failureOf(files())).toMatchObject({ kind: 'temporary', code: 'source_unavailable' });
      expect(gitlab.requests).toHaveLength(3);
    });

    it('that only drips is given up, however long it goes on', async () => {
      const { source: hasty } = await openSource(gitlab.url, {
        defaultToken: gitlab.token,
        requestTimeoutMs: 20,
      });
      gitlab.faults.add({ effect: { kind: 'drip', chunkBytes: 1, everyMs: 5 } });
      const failure = await failureOf(readAll(hasty, project.projectId, commit));
      expect(failure).toMatchObject({ kind: 'temporary', code: 'source_unavailable' });
    });

    it('ends with the signal', async () => {
      const controller = new AbortController();
      gitlab.faults.add({ effect: { kind: 'stall', afterBytes: 200 } });
      const reading = failureOf(files(controller.signal));
      setTimeout(() => controller.abort(), 20);
      expect(await reading).toMatchObject({ kind: 'cancelled' });
    });

    it('never carries the token to another origin', async () => {
      const elsewhere = await startScriptedServer((_, response) => response.end('taken'));
      gitlab.faults.add({ effect: { kind: 'redirect', to: elsewhere.url } });
      expect(await failureOf(files())).toMatchObject({ code: 'source_redirect_refused' });
      expect(await failureOf(source.findBlobs(project, commit, ['a'], signal()))).toMatchObject({
        code: 'source_redirect_refused',
      });
      expect(elsewhere.seen).toEqual([]);
      await elsewhere.stop();
    });
  });
});

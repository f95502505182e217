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

describe('batch calls of the GitLab source', () => {
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

  describe('compare', () => {
    const compare = (from: string) => source.compare(project.projectId, from, commit, signal());

    it('a comparison lists present and deleted paths, with modes and the commit of a submodule', async () => {
      const comparison = await compare(first);
      expect(comparison?.isComplete).toBe(true);
      expect(new Set(comparison?.changes)).toEqual(
        new Set([
          { kind: 'present', path: 'README.md', mode: '100644', commit: null },
          { kind: 'present', path: 'added.txt', mode: '100644', commit: null },
          { kind: 'removed', path: 'gone.txt' },
          { kind: 'removed', path: 'old/name.txt' },
          { kind: 'present', path: 'new-name.txt', mode: '100644', commit: null },
          { kind: 'present', path: 'script.sh', mode: '100755', commit: null },
          { kind: 'present', path: 'to-link.txt', mode: '120000', commit: null },
          { kind: 'present', path: 'vendor/moved', mode: '160000', commit: 'c'.repeat(40) },
        ]),
      );
    });

    it('a comparison works from a commit that is not an ancestor', async () => {
      const back = await source.compare(project.projectId, commit, first, signal());
      expect(back?.changes).toContainEqual({ kind: 'removed', path: 'added.txt' });
    });

    it('a comparison reports that the host omitted changes, and is null for an unknown commit', async () => {
      gitlab.settings.diffLimits.maxFiles = 3;
      expect(await compare(first)).toMatchObject({ isComplete: false });
      expect(await compare('d'.repeat(40))).toBeNull();
    });

    it('a comparison is not retried when the host fails, but waits for a rate limit', async () => {
      const restore = gitlab.faults.add({ effect: { kind: 'status', status: 502 } });
      expect(await failureOf(compare(first))).toMatchObject({ code: 'source_unavailable' });
      expect(gitlab.requests).toHaveLength(1);
      restore();
      gitlab.faults.add({ times: 1, effect: { kind: 'status', status: 429, retryAfterSeconds: 5 } });
      expect(await compare(first)).toMatchObject({ isComplete: true });
      expect(waits.length).toBeGreaterThan(0);
    });
  });

  describe('findBlobs and readTexts', () => {
    const find = (paths: string[]) => source.findBlobs(project, commit, paths, signal());
    const read = (paths: string[]) => source.readTexts(project, commit, paths, signal());

    it('findBlobs finds all blobs that git lists, and nothing else', async () => {
      const found = await find(['README.md', 'to-link.txt', 'script.sh', 'vendor/moved', 'gone.txt', 'long']);
      const listed = fixture.listTree(commit).filter(({ mode }) => mode !== '160000');
      for (const [path, entry] of found) expect(listed).toContainEqual({ path, ...entry });
      expect([...found.keys()].sort()).toEqual(['README.md', 'script.sh', 'to-link.txt']);
      expect(gitlab.requests).toHaveLength(1);
    });

    it('readTexts returns UTF-8 text byte for byte, and omits other encodings', async () => {
      const paths = ['README.md', 'empty.txt', 'latin1.txt', 'utf16.txt', 'bytes.bin', 'none.txt'];
      const texts = await read(paths);
      expect([...texts].map(([path, bytes]) => [path, Buffer.from(bytes).toString()]).sort()).toEqual([
        ['README.md', '# Tide, again\n'],
        ['empty.txt', ''],
      ]);
    });

    it('a batch with a long response is split in half', async () => {
      const texts = await read(['long/one.txt', 'long/two.txt', 'long/three.txt', 'added.txt']);
      expect([...texts.keys()].sort()).toEqual([
        'added.txt',
        'long/one.txt',
        'long/three.txt',
        'long/two.txt',
      ]);
      // The whole batch, its two halves (both too long), and the two files of the first half.
      expect(gitlab.requests.length).toBeGreaterThan(2);
    });

    it('a batch that exceeds the size limit of the server is split in half, and one file alone is read', async () => {
      gitlab.settings.graphql.maxBlobBytes = 5 * 1024 * 1024;
      const paths = ['long/one.txt', 'long/two.txt', 'added.txt', 'README.md'];
      expect([...(await read(paths)).keys()].sort()).toEqual([...paths].sort());
      expect(gitlab.requests).toHaveLength(5);
      gitlab.settings.graphql.maxBlobBytes = 1;
      expect([...(await read(['long/one.txt'])).keys()]).toEqual(['long/one.txt']);
    });

    it("batches without a token stay within GitLab's lower limit of complexity", async () => {
      const anonymous = await openSource(gitlab.url, { defaultToken: null });
      const path = 'group/open';
      const open = await gitlab.addProject({ path, gitDir: fixture.dir, visibility: 'public' });
      const target = { projectId: open.id, projectPath: path };
      const paths = Array.from({ length: 100 }, (_, index) => `none-${index}.txt`);
      for (const reader of [source, anonymous.source]) {
        const before = gitlab.requests.length;
        const texts = await reader.readTexts(target, commit, [...paths.slice(1), 'README.md'], signal());
        expect([...texts.keys()]).toEqual(['README.md']);
        await reader.findBlobs(target, commit, paths, signal());
        expect(gitlab.requests.length - before).toBe(reader === source ? 2 : 4);
      }
    });

    it('a batch that is too complex is split, and so are the next ones from the start', async () => {
      gitlab.settings.graphql.maxComplexity = 60;
      const paths = Array.from({ length: 60 }, (_, index) => `none-${index}.txt`);
      expect((await find([...paths, 'README.md'])).size).toBe(1);
      const refused = gitlab.requests.length;
      await find(paths);
      expect(gitlab.requests.length - refused).toBeLessThan(refused);
    });

    it('a refused batch repeats nothing of what the server answered', async () => {
      gitlab.settings.graphql.maxComplexity = 5;
      const refused = await failureOf(find(['README.md']));
      expect(refused).toMatchObject({ kind: 'invalid', code: 'source_query_refused' });
      expect(refused.message).not.toContain('complexity');
      expect(refused.message).not.toContain(gitlab.token);
      expect(gitlab.requests).toHaveLength(1);
    });

    it('a batch for the old path of a moved project is not found', async () => {
      gitlab.moveProject(project.projectId, 'elsewhere/tide');
      expect(await failureOf(find(['README.md']))).toMatchObject({ kind: 'not_found' });
    });

    it('a batch survives temporary failures, and is complete or fails', async () => {
      gitlab.faults.add({ times: 1, effect: { kind: 'status', status: 502 } });
      gitlab.faults.add({ after: 1, times: 1, effect: { kind: 'cut', afterBytes: 30 } });
      expect((await read(['README.md'])).size).toBe(1);
      gitlab.faults.clear();
      gitlab.faults.add({ effect: { kind: 'truncate', keepBytes: 30 } });
      expect(await failureOf(read(['README.md']))).toMatchObject({ code: 'source_answer_invalid' });
    });
  });

  describe('readArchive', () => {
    const files = (wanted?: AbortSignal) => readAll(source, project.projectId, commit, wanted);

    it('an archive holds every file byte for byte, in one request, without LFS objects', async () => {
      const names = fixture.listTree(commit).filter(({ mode }) => mode.startsWith('100'));
      const expected = names.map(({ blobSha }) => fixture.git('cat-file', 'blob', blobSha));
      expect(ordered(await files())).toEqual(ordered(expected));
      expect(gitlab.requests).toHaveLength(1);
      expect(gitlab.requests[0]?.query).toEqual({ sha: commit, include_lfs_blobs: 'false' });
    });

    it('an archive drops unread entries, and the rest when the caller stops', async () => {
      let entries = 0;
      for await (const entry of source.readArchive(project.projectId, commit, signal())) {
        expect(entry.sizeBytes).toBeGreaterThanOrEqual(0);
        if (++entries === 3) break;
      }
      expect(entries).toBe(3);
    });

    it('an archive closes its connection when the caller stops before the server has finished', async () => {
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

    it('an archive that the server cut short fails, wherever it ended', async () => {
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

    it('an archive without its end blocks fails, even in a complete gzip stream', async () => {
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

    it('an archive is not retried, and its own rate limit does not delay other calls', async () => {
      gitlab.settings.rateLimits.archive = { requests: 0, periodSeconds: 60 };
      expect(await failureOf(files())).toMatchObject({ kind: 'rate_limited' });
      await source.headOf(project.projectId, 'main', signal());
      expect(waits).toEqual([]);
      gitlab.settings.rateLimits.archive = null;
      gitlab.faults.add({ url: /archive/, effect: { kind: 'cut', afterBytes: 100 } });
      expect(await failureOf(files())).toMatchObject({ kind: 'temporary', code: 'source_unavailable' });
      expect(gitlab.requests).toHaveLength(3);
    });

    it('an archive that arrives too slowly is abandoned', async () => {
      const { source: hasty } = await openSource(gitlab.url, {
        defaultToken: gitlab.token,
        requestTimeoutMs: 20,
      });
      gitlab.faults.add({ effect: { kind: 'drip', chunkBytes: 1, everyMs: 5 } });
      const failure = await failureOf(readAll(hasty, project.projectId, commit));
      expect(failure).toMatchObject({ kind: 'temporary', code: 'source_unavailable' });
    });

    it('an archive ends when the caller aborts', async () => {
      const controller = new AbortController();
      gitlab.faults.add({ effect: { kind: 'stall', afterBytes: 200 } });
      const reading = failureOf(files(controller.signal));
      setTimeout(() => controller.abort(), 20);
      expect(await reading).toMatchObject({ kind: 'cancelled' });
    });

    it('a redirected archive never sends the token to another origin', async () => {
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

import { afterEach, describe, expect, it } from '@jest/globals';
import { type ContentJob, type PreparedContent } from '@core/domain';
import { ContentThreads, type ContentThreadsOptions } from './content-threads.js';

/** Ends work as its path says; counts the jobs of each thread in `secretDetail`. */
const SCRIPTED = `
  import { parentPort, threadId } from 'node:worker_threads';
  let jobs = 0;
  parentPort.on('message', ({ path, bytes }) => {
    jobs++;
    if (path === 'endless') for (;;);
    if (path === 'pattern') /^(a+)+$/.test('a'.repeat(50) + 'b');
    if (path === 'memory') for (const kept = []; ; ) kept.push(new Array(10_000).fill({}));
    if (path === 'throws') throw new Error('broken');
    if (path === 'refused') {
      const error = { kind: 'invalid', code: 'chunk_size_invalid', message: 'too small' };
      return parentPort.postMessage({ kind: 'failed', error });
    }
    const secretDetail = threadId + ' ' + jobs;
    const content = { chunks: [], skip: null, secretsFound: bytes.length, secretDetail };
    parentPort.postMessage({ kind: 'done', content });
  });
  parentPort.postMessage({ kind: 'ready' });
`;
const module = new URL(`data:text/javascript,${encodeURIComponent(SCRIPTED)}`);

let threads: ContentThreads;
afterEach(() => threads.close());

function open(options: Partial<ContentThreadsOptions> = {}): ContentThreads {
  threads = new ContentThreads({ module, execArgv: [], ...options });
  return threads;
}

const forever = new AbortController().signal;
const jobFor = (path: string, text = 'text'): ContentJob => ({
  ...{ path, bytes: Buffer.from(text), maxFileBytes: 1_000_000, chunkSize: 100, chunkOverlap: 20 },
  secretsPolicy: 'redact',
});
const prepare = (path: string, repositoryId = 'one', signal = forever): Promise<PreparedContent> =>
  threads.prepare(jobFor(path), repositoryId, signal);
const skipOf = async (path: string) => (await prepare(path)).skip;

describe('ContentThreads', () => {
  it('prepares contents with the real reader, and leaves the bytes as they are', async () => {
    open({
      module: new URL('../../../../apps/server/src/composition/content-worker.js', import.meta.url),
      execArgv: ['--no-warnings', '--import', './test/support/register-typescript.mjs'],
    });
    const job = jobFor('a.ts', 'const token = "glpat-abcdefghij0123456789";\nrun();\n');
    const [first, second] = await Promise.all([
      threads.prepare(job, 'one', forever),
      threads.prepare(job, 'two', forever),
    ]);
    expect(first).toMatchObject({ skip: null, secretsFound: 1, secretDetail: 'gitlab-token line 1' });
    expect(first.chunks.map(({ text }) => text)).toEqual([
      'const token = "[redacted:gitlab-token]";\nrun();',
    ]);
    expect(second).toEqual(first);
    expect(await threads.prepare(jobFor('a.pdf', '%PDF-1.7'), 'one', forever)).toMatchObject({
      chunks: [],
      skip: { reason: 'binary' },
    });
    await expect(threads.prepare({ ...job, chunkSize: 1 }, 'one', forever)).rejects.toMatchObject({
      kind: 'invalid',
      code: 'chunk_size_invalid',
    });
  });

  it.each([
    ['endless', 'it took longer than 0.3 seconds'],
    ['pattern', 'it took longer than 0.3 seconds'],
    ['memory', 'it needs more than 32 MB of memory'],
  ])('stops a content twice and then skips it: %s', async (path, fault) => {
    // Out of memory must come first, however slow the machine.
    open({ timeLimitMs: path === 'memory' ? 200_000 : 300, memoryMb: 32 });
    expect(await skipOf(path)).toEqual({ reason: 'too_costly', detail: expect.stringContaining(fault) });
    expect(await skipOf('a')).toBeNull();
  });

  it('lets the files of another repository pass while one has reached its limit', async () => {
    open({ timeLimitMs: 200_000 });
    const stop = new AbortController();
    const hostile = ['endless', 'endless', 'endless'].map((path) => prepare(path, 'hostile', stop.signal));
    const settled = Promise.allSettled(hostile);
    for (let file = 0; file < 20; file++) expect((await prepare('a', 'normal')).skip).toBeNull();
    stop.abort(new Error('the run was cancelled'));
    const reason = expect.objectContaining({ message: 'the run was cancelled' });
    expect(await settled).toEqual(hostile.map(() => ({ status: 'rejected', reason })));
    expect((await prepare('a', 'hostile')).skip).toBeNull();
  });

  it('uses one thread for a repository and two at most', async () => {
    open();
    const threadsOf = async (repositoryId: string) => {
      const files = await Promise.all(Array.from({ length: 5 }, () => prepare('a', repositoryId)));
      return files.map(({ secretDetail }) => secretDetail?.split(' ')[0]);
    };
    expect(new Set(await threadsOf('one')).size).toBe(1);
    const used = await Promise.all(['one', 'two', 'three', 'four'].map(threadsOf));
    expect(new Set(used.flat()).size).toBe(2);
  });

  it('lets the files of a third repository pass while two others always have files waiting', async () => {
    open();
    const stop = new AbortController();
    const keepBusy = async (repositoryId: string): Promise<void> => {
      while (!stop.signal.aborted) await prepare('a', repositoryId);
    };
    const busy = ['one', 'two'].flatMap((id) => Array.from({ length: 20 }, () => keepBusy(id)));
    for (let file = 0; file < 5; file++) expect((await prepare('a', 'third')).skip).toBeNull();
    stop.abort();
    await Promise.all(busy);
  });

  it('prepares the files that were sent behind a content that had to be stopped', async () => {
    open({ timeLimitMs: 300 });
    const results = await Promise.all(['endless', 'a', 'endless', 'a'].map(skipOf));
    const tooCostly = expect.objectContaining({ reason: 'too_costly' });
    expect(results).toEqual([tooCostly, null, tooCostly, null]);
  });

  it('rejects the files of a run that ends, and prepares the others of its repository', async () => {
    open({ timeLimitMs: 200_000 });
    const stop = new AbortController();
    const ended = Promise.allSettled(['endless', 'a', 'a'].map((path) => prepare(path, 'one', stop.signal)));
    const other = prepare('a', 'one');
    stop.abort(new Error('the run was cancelled'));
    const rejected = {
      status: 'rejected',
      reason: expect.objectContaining({ message: 'the run was cancelled' }),
    };
    expect(await ended).toEqual([rejected, rejected, rejected]);
    expect((await other).skip).toBeNull();
  });

  it('passes the error of a content on', async () => {
    open();
    await expect(prepare('refused')).rejects.toMatchObject({ kind: 'invalid', code: 'chunk_size_invalid' });
    await expect(prepare('throws')).rejects.toMatchObject({
      kind: 'internal',
      code: 'content_thread_failed',
    });
    expect(await skipOf('a')).toBeNull();
  });

  it('says so when a thread cannot start', async () => {
    open({ module: new URL('data:text/javascript,throw new Error("no")') });
    await expect(prepare('a')).rejects.toMatchObject({ code: 'content_thread_failed' });
  });

  it('ends busy threads when it is closed', async () => {
    open();
    const files = Promise.allSettled(['endless', 'endless', 'a'].map((path) => prepare(path)));
    await threads.close();
    const reason = expect.objectContaining({ kind: 'cancelled' });
    expect(await files).toEqual(Array.from({ length: 3 }, () => ({ status: 'rejected', reason })));
  });
});

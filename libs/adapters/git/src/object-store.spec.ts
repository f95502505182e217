import { createHash, randomBytes } from 'node:crypto';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { deflateSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { RepotideError } from '@core/domain';
import { listTree } from './walk-trees.js';
import { createRunDirectory } from './object-directory.js';
import { ObjectStore, STORE_LIMITS } from './object-store.js';

const TREE = 2;
const BLOB = 3;
const OFFSET_DELTA = 6;
const COMMIT = '0'.repeat(40);
const MEBIBYTE = 1024 * 1024;
const { signal } = new AbortController();

/** The first bytes of an object in a pack: its type and the size of its content. */
function objectHeader(type: number, size: number): Buffer {
  const bytes = [(type << 4) | (size & 15)];
  for (let rest = Math.floor(size / 16); rest > 0; rest = Math.floor(rest / 128)) {
    bytes[bytes.length - 1]! |= 128;
    bytes.push(rest & 127);
  }
  return Buffer.from(bytes);
}

function packOf(objects: readonly Buffer[], announced = objects.length): Buffer {
  const header = Buffer.alloc(12);
  header.write('PACK');
  header.writeUInt32BE(2, 4);
  header.writeUInt32BE(announced, 8);
  const content = Buffer.concat([header, ...objects]);
  return Buffer.concat([content, createHash('sha1').update(content).digest()]);
}

function blob(content: Buffer): Buffer {
  return Buffer.concat([objectHeader(BLOB, content.length), deflateSync(content)]);
}

function tree(content: Buffer): Buffer {
  return Buffer.concat([objectHeader(TREE, content.length), deflateSync(content)]);
}

/** One entry of a folder. */
function treeOf(modeAndName: string, id: string): Buffer {
  return Buffer.concat([Buffer.from(`${modeAndName}\0`), Buffer.from(id, 'hex')]);
}

function shaOf(content: Buffer, type = 'blob'): string {
  return createHash('sha1').update(`${type} ${content.length}\0`).update(content).digest('hex');
}

function varint(value: number): Buffer {
  const bytes: number[] = [];
  for (let rest = value; ; rest = Math.floor(rest / 128)) {
    bytes.push(rest >= 128 ? (rest & 127) | 128 : rest);
    if (rest < 128) return Buffer.from(bytes);
  }
}

/** A delta that repeats the first mebibyte of the object right before it. */
function repeatingDelta(baseLength: number, distance: number, times: number): Buffer {
  // Copies 0x100000 bytes from offset 0.
  const copy = Buffer.from([0b1100_0000, 0x10]);
  const copies = Buffer.concat(Array.from({ length: times }, () => copy));
  const delta = Buffer.concat([varint(baseLength), varint(times * MEBIBYTE), copies]);
  const offset = [distance & 127];
  for (let rest = (distance >> 7) - 1; rest >= 0; rest = (rest >> 7) - 1) offset.unshift(128 | (rest & 127));
  return Buffer.concat([objectHeader(OFFSET_DELTA, delta.length), Buffer.from(offset), deflateSync(delta)]);
}

async function* inParts(...parts: Buffer[]): AsyncGenerator<Buffer> {
  yield* parts;
}

async function failureOf(work: Promise<unknown>): Promise<RepotideError> {
  const thrown: unknown = await work.then(
    () => null,
    (error: unknown) => error,
  );
  if (thrown instanceof RepotideError) return thrown;
  throw new Error('expected a RepotideError');
}

describe('ObjectStore', () => {
  let root: string;
  beforeEach(async () => {
    root = await mkdtemp(join(tmpdir(), 'repotide-object-store-'));
  });
  afterEach(async () => {
    expect(await readdir(root)).toEqual([]);
    await rm(root, { recursive: true });
  });

  async function withStore<T>(
    work: (store: ObjectStore) => Promise<T>,
    limits: Partial<typeof STORE_LIMITS> = {},
  ): Promise<T> {
    const all = { ...STORE_LIMITS, maxBytes: 8 * MEBIBYTE, ...limits };
    const store = new ObjectStore(await createRunDirectory(root, COMMIT, signal), all);
    try {
      return await work(store);
    } finally {
      await store.release();
    }
  }

  it('returns the blobs of a pack by the id of their bytes, and leaves out missing ones', async () => {
    const contents = [Buffer.from('a\n'), Buffer.alloc(0), Buffer.from([0, 255, 10])];
    await withStore(async (store) => {
      await store.add(inParts(packOf(contents.map(blob))), true, signal);
      const found: string[] = [];
      const shas = contents.map((content) => shaOf(content));
      for await (const { blobSha, content } of store.readBlobs([...shas, COMMIT], 2, signal))
        found.push(`${blobSha} ${content.kind}`);
      expect(found.sort()).toEqual(
        contents.map((content) => `${shaOf(content)} ${content.length > 2 ? 'too_large' : 'bytes'}`).sort(),
      );
    });
  });

  it('refuses a pack that announces more objects than memory holds', async () => {
    const failure = await withStore((store) =>
      failureOf(store.add(inParts(packOf([blob(Buffer.from('a'))], 0xffff_ffff)), true, signal)),
    );
    expect(failure).toMatchObject({ code: 'git_pack_invalid' });
  });

  it('refuses a small delta of a huge object', async () => {
    const content = Buffer.alloc(MEBIBYTE, 'x');
    const base = blob(content);
    const bomb = packOf([base, repeatingDelta(content.length, base.length, 400)]);
    expect(bomb.length).toBeLessThan(10_000);
    const failure = await withStore((store) => failureOf(store.add(inParts(bomb), true, signal)));
    expect(failure).toMatchObject({ code: 'git_pack_invalid' });
    // The same pack with a delta that fits is accepted.
    const modest = packOf([base, repeatingDelta(content.length, base.length, 4)]);
    await withStore((store) => store.add(inParts(modest), true, signal));
  });

  it('stops to read a pack that does not end', async () => {
    let sent = 0;
    async function* endless(): AsyncGenerator<Buffer> {
      yield packOf([], 1_000_000).subarray(0, 12);
      for (;;) {
        const part = blob(randomBytes(256 * 1024));
        sent += part.length;
        yield part;
      }
    }
    const failure = await withStore((store) => failureOf(store.add(endless(), true, signal)), {
      maxBytes: MEBIBYTE,
    });
    expect(failure).toMatchObject({ code: 'git_pack_too_large' });
    expect(sent).toBeLessThan(3 * MEBIBYTE);
  });

  it.each([
    [
      'a pack with a wrong checksum',
      Buffer.concat([packOf([blob(Buffer.from('a'))]).subarray(0, -1), Buffer.from('x')]),
    ],
    ['half a pack', packOf([blob(randomBytes(1000))]).subarray(0, 500)],
    ['a page of HTML', Buffer.from('<html>Sign in</html>')],
    ['nothing', Buffer.alloc(0)],
  ])('refuses %s', async (_, bytes) => {
    const failure = await withStore((store) => failureOf(store.add(inParts(bytes), true, signal)));
    expect(failure).toMatchObject({ kind: 'internal', code: 'git_pack_invalid' });
  });

  it('refuses an object that git would not accept, such as a folder with the name of its own directory', async () => {
    const file = shaOf(Buffer.from('a'));
    const folder = treeOf(`100644 .git`, file);
    const pack = packOf([blob(Buffer.from('a')), tree(folder)]);
    const failure = await withStore((store) => failureOf(store.add(inParts(pack), true, signal)));
    expect(failure).toMatchObject({ code: 'git_pack_invalid', message: expect.stringContaining('.git') });
    const ordinary = packOf([blob(Buffer.from('a')), tree(treeOf('100644 git', file))]);
    await withStore((store) => store.add(inParts(ordinary), true, signal));
  });

  it('ends git when a small pack takes too long to unpack', async () => {
    const bomb = blob(Buffer.alloc(128 * MEBIBYTE));
    const pack = packOf(Array.from({ length: 40 }, () => bomb));
    expect(pack.length).toBeLessThan(8 * MEBIBYTE);
    const failure = await withStore((store) => failureOf(store.add(inParts(pack), true, signal)), {
      packMs: 200,
    });
    expect(failure).toMatchObject({ kind: 'invalid', code: 'git_too_slow' });
  });

  it('refuses to list folders that repeat each other without a file', async () => {
    let folder = Buffer.alloc(0);
    const folders = [folder];
    for (let depth = 0; depth < 16; depth++) {
      const id = shaOf(folder, 'tree');
      folder = Buffer.concat(Array.from({ length: 16 }, (_, name) => treeOf(`40000 ${100 + name}`, id)));
      folders.push(folder);
    }
    const failure = await withStore(async (store) => {
      await store.add(inParts(packOf(folders.map(tree))), true, signal);
      const trees = {
        rootId: shaOf(folder, 'tree'),
        read: (ids: readonly string[]) => store.readTrees(ids, signal),
      };
      const listAll = async () => {
        for await (const files of listTree(trees, signal)) expect(files).toEqual([]);
      };
      return failureOf(listAll());
    });
    expect(failure).toMatchObject({ kind: 'invalid', code: 'tree_too_large' });
  });

  it('ends git when the signal fires', async () => {
    const stop = new AbortController();
    async function* stalled(): AsyncGenerator<Buffer> {
      yield packOf([blob(Buffer.from('a'))]).subarray(0, 12);
      stop.abort(new RepotideError('cancelled', 'cancelled', 'stopped by the test'));
      stop.signal.throwIfAborted();
    }
    const failure = await withStore((store) => failureOf(store.add(stalled(), true, stop.signal)));
    expect(failure).toMatchObject({ code: 'cancelled' });
  });
});

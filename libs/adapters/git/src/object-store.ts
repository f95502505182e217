import { once } from 'node:events';
import { rm } from 'node:fs/promises';
import { type BlobContent, groupsOf, RepotideError, throwIfAborted, type TreeEntry } from '@core/domain';
import { ByteReader } from './process/byte-reader.js';
import { askGit, type GitProcess, startGit } from './process/run-git.js';
import { createScratch } from './process/scratch.js';

/** Limits the disk of one run; the chart sizes the volume for five of them. */
const MAX_BYTES = 512 * 1024 * 1024;
/** A tree whose folders repeat each other is small and has any number of paths. */
const MAX_PATHS = 5_000_000;
const LONGEST_RECORD = 1024 * 1024;
const PAGE_ENTRIES = 1000;
/** Folders and submodules. */
const NO_BLOBS = ['040000', '160000'];
const BLOBS_PER_PROCESS = 10_000;

export interface StoredBlob {
  blobSha: string;
  content: BlobContent;
}

/**
 * Objects of one commit on the scratch disk: a bare repository without branches, remote, configuration or working tree.
 * Git only indexes packs and prints objects here; nothing is checked out, so no hook, attribute, filter or submodule applies.
 */
export class ObjectStore {
  #bytes = 0;

  private constructor(
    private readonly directory: string,
    private readonly maxBytes: number,
  ) {}

  /** @param commit shows the hash algorithm. @param scratchRoot an existing directory. */
  static async create(
    scratchRoot: string,
    commit: string,
    signal: AbortSignal,
    maxBytes = MAX_BYTES,
  ): Promise<ObjectStore> {
    const store = new ObjectStore(await createScratch(scratchRoot), maxBytes);
    const format = commit.length === 64 ? 'sha256' : 'sha1';
    const args = ['init', '--bare', '--quiet', '--template=', `--object-format=${format}`];
    try {
      await askGit({ directory: store.directory, args, signal });
      return store;
    } catch (thrown) {
      await store.remove();
      throw thrown;
    }
  }

  /**
   * Adds the objects of a pack while it arrives. Git computes every object's id from its bytes.
   * @param hasContents false: a pack of trees alone. Otherwise git refuses malformed objects too; of trees alone git 2.39
   *   cannot, when they name a `.gitattributes`. The run proves them itself, by computing their ids from what is listed.
   * @throws invalid `git_pack_too_large`, `git_pack_invalid`; and what the pack throws.
   */
  async add(pack: AsyncIterable<Uint8Array>, hasContents: boolean, signal: AbortSignal): Promise<void> {
    const child = this.#start(
      ['index-pack', '--stdin', '--threads=1', ...(hasContents ? ['--fsck-objects'] : [])],
      signal,
    );
    child.stdout.resume();
    try {
      for await (const part of pack) {
        this.#bytes += part.length;
        if (this.#bytes > this.maxBytes) throw packTooLarge(this.maxBytes);
        if (!child.stdin.writable) break;
        if (!child.stdin.write(part)) await writableAgain(child);
      }
    } catch (thrown) {
      child.kill();
      await child.ended.catch(() => undefined);
      throw thrown;
    }
    child.stdin.end();
    await child.ended.catch((thrown: unknown) => {
      throwIfAborted(signal);
      throw packInvalid(thrown as RepotideError);
    });
  }

  /** Every file, symlink and submodule of the commit, in the byte order of the paths. */
  async *listTree(commit: string, signal: AbortSignal): AsyncGenerator<TreeEntry[]> {
    let page: TreeEntry[] = [];
    let paths = 0;
    for await (const entry of this.#entries(['-r', commit], signal)) {
      paths += 1;
      if (paths > MAX_PATHS) throw treeTooLarge(commit);
      if (page.push(entry) < PAGE_ENTRIES) continue;
      yield page;
      page = [];
    }
    if (page.length > 0) yield page;
  }

  /** @throws not_found `folder_not_found`. */
  async listFolder(commit: string, folder: string, signal: AbortSignal): Promise<TreeEntry[]> {
    const entries: TreeEntry[] = [];
    const prefix = folder === '' ? '' : `${folder}/`;
    try {
      for await (const entry of this.#entries([`${commit}:${folder}`], signal))
        entries.push({ ...entry, path: prefix + entry.path });
    } catch (thrown) {
      throwIfAborted(signal);
      if (folder === '') throw thrown;
      const message = `Git lists the folder "${folder}" at commit ${commit} but does not find it by that name.`;
      throw new RepotideError('not_found', 'folder_not_found', message, { cause: thrown });
    }
    return entries;
  }

  async findBlobs(
    commit: string,
    paths: readonly string[],
    signal: AbortSignal,
  ): Promise<Map<string, Pick<TreeEntry, 'mode' | 'blobSha'>>> {
    const found = new Map<string, Pick<TreeEntry, 'mode' | 'blobSha'>>();
    const wanted = new Set(paths);
    for await (const { path, mode, blobSha } of this.#entries([commit, '--', ...paths], signal)) {
      // Git lists a folder's files too when one of them is wanted.
      if (wanted.has(path) && !NO_BLOBS.includes(mode)) found.set(path, { mode, blobSha });
    }
    return found;
  }

  /** The stored ones of these blobs, in their order. Waits for the caller, and keeps one blob in memory. */
  async *readBlobs(
    blobShas: readonly string[],
    maxBytes: number,
    signal: AbortSignal,
  ): AsyncGenerator<StoredBlob> {
    for (const group of groupsOf(blobShas, BLOBS_PER_PROCESS)) {
      const child = this.#start(['cat-file', '--batch', '--buffer'], signal);
      child.stdin.end(`${group.join('\n')}\n`);
      try {
        yield* blobsOf(new ByteReader(child.stdout as AsyncIterable<Buffer>), group, maxBytes);
        await child.ended;
      } catch (thrown) {
        throwIfAborted(signal);
        throw thrown;
      } finally {
        child.kill();
      }
    }
  }

  /** Repeating is harmless. */
  async remove(): Promise<void> {
    await rm(this.directory, { recursive: true, force: true });
  }

  async *#entries(args: readonly string[], signal: AbortSignal): AsyncGenerator<TreeEntry> {
    const child = this.#start(['ls-tree', '-z', '--full-tree', ...args], signal);
    child.stdin.end();
    let rest: Buffer = Buffer.alloc(0);
    try {
      for await (const chunk of child.stdout as AsyncIterable<Buffer>) {
        const bytes = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
        let at = 0;
        for (let end = bytes.indexOf(0); end >= 0; end = bytes.indexOf(0, at)) {
          yield entryOf(bytes.toString('utf8', at, end));
          at = end + 1;
        }
        rest = bytes.subarray(at);
        if (rest.length > LONGEST_RECORD) throw treeTooLarge(args.join(' '));
      }
      await child.ended;
    } finally {
      child.kill();
    }
  }

  #start(args: readonly string[], signal: AbortSignal): GitProcess {
    return startGit({ directory: this.directory, args, signal });
  }
}

async function* blobsOf(
  reader: ByteReader,
  blobShas: readonly string[],
  maxBytes: number,
): AsyncGenerator<StoredBlob> {
  for (const blobSha of blobShas) {
    const [, type, size = ''] = (await reader.line()).split(' ');
    if (type === 'missing') continue;
    const sizeBytes = Number(size);
    const isRead = type === 'blob' && sizeBytes <= maxBytes;
    const bytes = isRead ? await reader.take(sizeBytes) : null;
    if (bytes === null) await reader.skip(sizeBytes);
    // The line break after each object.
    await reader.skip(1);
    if (type !== 'blob') continue;
    yield { blobSha, content: bytes ? { kind: 'bytes', bytes } : { kind: 'too_large', sizeBytes } };
  }
}

/** A line of `ls-tree`: mode, type and SHA, a tab, the path. */
function entryOf(record: string): TreeEntry {
  const tab = record.indexOf('\t');
  const [mode = '', , blobSha = ''] = record.slice(0, tab).split(' ');
  return { path: record.slice(tab + 1), mode, blobSha };
}

/** Waits until the child reads on, or has ended. */
async function writableAgain({ stdin }: GitProcess): Promise<void> {
  const stopped = new AbortController();
  const { signal } = stopped;
  const events = [once(stdin, 'drain', { signal }), once(stdin, 'close', { signal })];
  try {
    await Promise.race(events);
  } finally {
    stopped.abort();
    await Promise.allSettled(events);
  }
}

function packTooLarge(maxBytes: number): RepotideError {
  const message =
    `The packs of this run have more than ${maxBytes} bytes. The files are read through the API instead. ` +
    'Lower max_file_bytes of the repository to leave out large files.';
  return new RepotideError('invalid', 'git_pack_too_large', message);
}

function packInvalid(cause: RepotideError): RepotideError {
  const message = `The code host sent a pack that git refuses. ${cause.message}`;
  return new RepotideError('internal', 'git_pack_invalid', message, { cause, details: cause.details });
}

function treeTooLarge(tree: string): RepotideError {
  const message =
    `The tree of ${tree} has more than ${MAX_PATHS} paths, or a path of more than ${LONGEST_RECORD} bytes. ` +
    'Such a repository cannot be indexed.';
  return new RepotideError('invalid', 'tree_too_large', message);
}

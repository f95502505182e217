import { once } from 'node:events';
import { groupsOf, RepotideError, throwIfAborted, type TreeEntry } from '@core/domain';
import { type ObjectDirectory } from './object-directory.js';
import { ByteReader } from './process/byte-reader.js';
import { type GitProcess, startGit } from './process/run-git.js';
import { readContents, readSizes, readTrees, type StoredBlob } from './process/read-objects.js';
import { outputOf, TIME_LIMITS, type TimeLimits, WaitLimit } from './process/time-limits.js';

interface StoreLimits extends TimeLimits {
  /** Limits all packs of one run on disk; the chart sizes the volume for five runs. */
  maxBytes: number;
}
export const STORE_LIMITS: StoreLimits = { ...TIME_LIMITS, maxBytes: 512 * 1024 * 1024 };
const OBJECTS_PER_PROCESS = 10_000;

/**
 * Objects on the scratch disk for one run: a bare repository without branches, remote, configuration or working tree.
 * Git only indexes packs and prints objects here; nothing is checked out, so no hook, attribute, filter or submodule applies.
 */
export class ObjectStore {
  #bytes = 0;
  readonly #maxBytes: number;
  readonly #limits: TimeLimits;

  constructor(
    private readonly directory: ObjectDirectory,
    { maxBytes, ...limits }: StoreLimits = STORE_LIMITS,
  ) {
    this.#maxBytes = maxBytes;
    this.#limits = limits;
  }

  /** A former run left objects here, which may be damaged. */
  get isReused(): boolean {
    return this.directory.isReused;
  }

  /**
   * Adds the objects of a pack while it arrives. Git computes every object's id from its bytes.
   * @param hasContents false: a pack of trees alone. Otherwise git refuses malformed objects too; of trees alone git 2.39
   *   cannot, when they name a `.gitattributes`.
   * @param maxBytes of this pack.
   * @throws invalid `git_pack_too_large`, `git_too_slow`; internal `git_pack_invalid`; and what the pack throws.
   */
  async add(
    pack: AsyncIterable<Uint8Array>,
    hasContents: boolean,
    signal: AbortSignal,
    maxBytes = this.#maxBytes,
  ): Promise<void> {
    let packBytes = 0;
    const checks = hasContents ? ['--fsck-objects'] : [];
    const child = this.#start(['index-pack', '--stdin', '--threads=1', ...checks], signal);
    child.stdout.resume();
    const waiting = new WaitLimit(child, this.#limits.packMs);
    try {
      for await (const part of pack) {
        this.#bytes += part.length;
        packBytes += part.length;
        if (packBytes > maxBytes || this.#bytes > this.#maxBytes) throw packTooLarge(this.#maxBytes);
        if (!child.stdin.writable) break;
        if (!child.stdin.write(part)) await waiting.for(writableAgain(child));
      }
    } catch (thrown) {
      // Git ends before it has read all when the pack is invalid; its own error says why.
      if (!isBrokenPipe(thrown)) {
        child.kill();
        await child.ended.catch(() => undefined);
        throw thrown;
      }
    }
    child.stdin.end();
    await waiting.for(
      child.ended.catch((thrown: unknown) => {
        throwIfAborted(signal);
        throw packInvalid(thrown as RepotideError);
      }),
    );
  }

  /** The id of a commit's root tree; null: the commit or that tree is not stored. */
  async findRoot(commit: string, signal: AbortSignal): Promise<string | null> {
    for await (const [id] of this.#trees([`${commit}^{tree}`], signal)) return id;
    return null;
  }

  /** The id of a stored commit's root tree. @throws internal `git_tree_missing`. */
  async rootOf(commit: string, signal: AbortSignal): Promise<string> {
    const root = await this.findRoot(commit, signal);
    if (root !== null) return root;
    const message = `The code host did not send the commit ${commit}.`;
    throw new RepotideError('internal', 'git_tree_missing', message);
  }

  /** The stored ones of these trees. @throws invalid `git_tree_invalid`. */
  async readTrees(treeIds: readonly string[], signal: AbortSignal): Promise<Map<string, TreeEntry[]>> {
    const found = new Map<string, TreeEntry[]>();
    for (const group of groupsOf(treeIds, OBJECTS_PER_PROCESS))
      for await (const [id, entries] of this.#trees(group, signal)) found.set(id, entries);
    return found;
  }

  /** The blobs that are not stored. */
  async missing(blobShas: readonly string[], signal: AbortSignal): Promise<string[]> {
    const missing: string[] = [];
    for (const group of groupsOf(blobShas, OBJECTS_PER_PROCESS)) {
      const sizes = await this.#sizes(group, signal);
      missing.push(...group.filter((sha) => !sizes.has(sha)));
    }
    return missing;
  }

  /** The stored ones of these blobs. Waits for the caller, and keeps one blob in memory. */
  async *readBlobs(
    blobShas: readonly string[],
    maxBytes: number,
    signal: AbortSignal,
  ): AsyncGenerator<StoredBlob> {
    for (const group of groupsOf(blobShas, OBJECTS_PER_PROCESS)) {
      // Sizes first, because a small pack may have contents without end; the large ones are never unpacked again.
      const sizes = await this.#sizes(group, signal);
      const isSmall = (sha: string): boolean => (sizes.get(sha) ?? Infinity) <= maxBytes;
      for (const [blobSha, sizeBytes] of sizes)
        if (!isSmall(blobSha)) yield { blobSha, content: { kind: 'too_large', sizeBytes } };
      const small = group.filter(isSmall);
      if (small.length > 0) yield* this.#contents(small, signal);
    }
  }

  /** Ends the run's use of the objects. Never throws, repeating is harmless. */
  release(): Promise<void> {
    return this.directory.release();
  }

  /** No later run gets these objects. */
  discard(): void {
    this.directory.discard();
  }

  async #sizes(ids: readonly string[], signal: AbortSignal): Promise<Map<string, number>> {
    const sizes = new Map<string, number>();
    const read = (reader: ByteReader) => readSizes(reader, ids);
    for await (const [id, size] of this.#print('--batch-check', ids, signal, read)) sizes.set(id, size);
    return sizes;
  }

  #contents(blobShas: readonly string[], signal: AbortSignal): AsyncGenerator<StoredBlob> {
    const read = (reader: ByteReader) => readContents(reader, blobShas, this.isReused);
    return this.#print('--batch', blobShas, signal, read);
  }

  #trees(names: readonly string[], signal: AbortSignal): AsyncGenerator<[string, TreeEntry[]]> {
    return this.#print('--batch', names, signal, (reader) => readTrees(reader, names.length));
  }

  /** Starts git, which prints these objects, and reads them. */
  async *#print<T>(
    mode: string,
    ids: readonly string[],
    signal: AbortSignal,
    read: (reader: ByteReader) => AsyncIterable<T>,
  ): AsyncGenerator<T> {
    const child = this.#start(['cat-file', mode, '--buffer'], signal);
    child.stdin.end(`${ids.join('\n')}\n`);
    try {
      yield* read(new ByteReader(outputOf(child, this.#limits)));
      await child.ended;
    } catch (thrown) {
      throwIfAborted(signal);
      throw thrown;
    } finally {
      child.kill();
    }
  }

  #start(args: readonly string[], signal: AbortSignal): GitProcess {
    return startGit({ directory: this.directory.path, args, signal });
  }
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

function isBrokenPipe(thrown: unknown): boolean {
  return (thrown as NodeJS.ErrnoException | null)?.code === 'EPIPE';
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

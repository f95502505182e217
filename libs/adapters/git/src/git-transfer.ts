import {
  groupsOf,
  RepotideError,
  type BlobContent,
  type Logger,
  type ReadingPlan,
  throwIfAborted,
  toRepotideError,
  type Transport,
  type TreeEntry,
  type TreeReader,
} from '@core/domain';
import { type ObjectCache } from './object-cache.js';
import { createRunDirectory, initObjectDirectory } from './object-directory.js';
import { ObjectStore } from './object-store.js';
import { PackRequests, type PackRequestsOptions } from './pack-requests.js';
import { type StoredBlob } from './process/read-objects.js';

/** Above it the whole tree is transferred: a longer list of ids is refused by proxies that allow a megabyte. */
const MAX_WANTS = 10_000;
/** What damaged objects of a former run lead to. */
const DAMAGES: readonly string[] = [
  ...['git_object_damaged', 'git_tree_invalid', 'git_tree_missing', 'git_failed', 'git_pack_invalid'],
];

export interface GitTransferOptions extends PackRequestsOptions {
  reading: ReadingPlan;
  /** Keeps the objects after the run; null: they are removed. */
  cache: ObjectCache | null;
  /** False: the host has no other way, so that every failure is thrown. */
  hasFallback: boolean;
  /** Resolves when git can be started. */
  ready: (signal: AbortSignal) => Promise<void>;
  scratchRoot: string;
  logger: Logger;
}

interface Loaded {
  commit: string;
  store: ObjectStore;
  /** Whether all contents that are small enough are stored. */
  isComplete: boolean;
}

/**
 * Transfers the objects of a commit for one run: its trees first, then wanted blobs by id; or everything at once. After
 * a failure it transfers nothing more, and its caller uses the host's API.
 */
export class GitTransfer {
  #loading: { commit: string; loaded: Promise<Loaded | null> } | null = null;
  #reason: string | null = null;
  readonly #stores: ObjectStore[] = [];
  readonly requests: PackRequests;

  constructor(private readonly options: GitTransferOptions) {
    this.requests = new PackRequests(options);
  }

  transport(): Transport {
    return { name: this.#reason === null ? 'git' : 'rest', reason: this.#reason };
  }

  /**
   * The commit's trees; null when git cannot be used. @throws what concerns the API too: an abort, a rate limit.
   * @param former trees of this commit are transferred only when they are read.
   */
  async openTrees(commit: string, former: string | null, signal: AbortSignal): Promise<TreeReader | null> {
    const loaded = await this.#load(commit, former, signal);
    if (loaded === null) return null;
    try {
      const rootId = await this.#repairing(loaded, signal, () => loaded.store.rootOf(commit, signal));
      return { rootId, read: (treeIds, until) => this.#readTrees(loaded, treeIds, until) };
    } catch (thrown) {
      this.#giveUp(thrown, signal);
      return null;
    }
  }

  /** The stored ones of these trees; when there is none, all of them after one more transfer. */
  async #readTrees(
    loaded: Loaded,
    treeIds: readonly string[],
    signal: AbortSignal,
  ): Promise<Map<string, TreeEntry[]> | null> {
    const read = async (): Promise<Map<string, TreeEntry[]>> => {
      const { store } = loaded;
      const found = await store.readTrees(treeIds, signal);
      if (found.size > 0) return found;
      for (const wants of groupsOf(treeIds, MAX_WANTS))
        await this.requests.fetchTreesById(store, wants, signal);
      const transferred = await store.readTrees(treeIds, signal);
      if (transferred.size < treeIds.length) throw treesMissing(treeIds.length - transferred.size);
      return transferred;
    };
    try {
      return await this.#repairing(loaded, signal, read);
    } catch (thrown) {
      this.#giveUp(thrown, signal);
      return null;
    }
  }

  /** These blobs of the commit, except what git does not send. @throws as {@link openTrees}. */
  async *readBlobs(
    commit: string,
    blobShas: readonly string[],
    maxBytes: number,
    signal: AbortSignal,
  ): AsyncGenerator<StoredBlob> {
    const loaded = await this.#load(commit, null, signal);
    if (loaded === null) return;
    const left = new Set(blobShas);
    while (left.size > 0) {
      try {
        const wants = [...left];
        if (!loaded.isComplete)
          await this.#repairing(loaded, signal, () => this.#transferMissing(loaded, wants, signal));
        for await (const blob of loaded.store.readBlobs(wants, maxBytes, signal)) {
          left.delete(blob.blobSha);
          yield blob;
        }
        return;
      } catch (thrown) {
        if (this.#isDamage(loaded, thrown, signal)) await this.#startOver(loaded, signal);
        else return this.#giveUp(thrown, signal);
      }
    }
  }

  /** One blob; null: git left it out. @throws as {@link openTrees}. */
  async readBlob(blobSha: string, maxBytes: number, signal: AbortSignal): Promise<BlobContent | null> {
    const openEmpty = async (): Promise<Loaded> => {
      return { commit: '', store: await this.#openStore(blobSha, null, signal), isComplete: false };
    };
    this.#loading ??= { commit: '', loaded: openEmpty() };
    const { commit } = this.#loading;
    for await (const { content } of this.readBlobs(commit, [blobSha], maxBytes, signal)) return content;
    return null;
  }

  /** Never throws. */
  async close(): Promise<void> {
    await Promise.all(this.#stores.map((store) => store.release()));
  }

  async #openStore(idLike: string, cache: ObjectCache | null, signal: AbortSignal): Promise<ObjectStore> {
    const { endpoint, ready, scratchRoot } = this.options;
    await ready(signal);
    const key = `${endpoint.identity} ${this.requests.projectPage} ${idLike.length}`;
    // Another run may wait for the same directory, so no signal of this run ends it.
    const create = () => initObjectDirectory(scratchRoot, idLike, new AbortController().signal);
    const directory = cache
      ? await cache.open(key, create)
      : await createRunDirectory(scratchRoot, idLike, signal);
    const store = new ObjectStore(directory);
    this.#stores.push(store);
    return store;
  }

  #load(commit: string, former: string | null, signal: AbortSignal): Promise<Loaded | null> {
    if (this.#reason !== null) return Promise.resolve(null);
    if (this.#loading?.commit !== commit)
      this.#loading = { commit, loaded: this.#transfer(commit, former, signal) };
    return this.#loading.loaded;
  }

  async #transfer(commit: string, former: string | null, signal: AbortSignal): Promise<Loaded | null> {
    const { cache, endpoint, memory, reading, hasFallback } = this.options;
    this.#reason = hasFallback ? memory.refusalOf(endpoint.identity) : null;
    if (this.#reason !== null) return null;
    try {
      const store = await this.#openStore(commit, cache, signal);
      const loaded = { commit, store, isComplete: reading.isEverything };
      await this.#repairing(loaded, signal, () => this.#fetchCommit(loaded, former, signal));
      return loaded;
    } catch (thrown) {
      this.#giveUp(thrown, signal);
      return null;
    }
  }

  async #fetchCommit(loaded: Loaded, former: string | null, signal: AbortSignal): Promise<void> {
    const { commit, store } = loaded;
    const isStored = store.isReused && !loaded.isComplete && (await store.findRoot(commit, signal)) !== null;
    if (isStored) return;
    loaded.isComplete ||= !(await this.requests.capabilities(signal)).hasFilter;
    const hasFormer = !loaded.isComplete && former !== null && former !== commit;
    if (hasFormer && (await this.requests.fetchChangedTrees(store, commit, former, signal))) return;
    if (loaded.isComplete) await this.#fetchEverything(loaded, signal);
    else await this.requests.fetchTrees(store, commit, signal);
  }

  #fetchEverything({ store, commit }: Loaded, signal: AbortSignal): Promise<void> {
    return this.requests.fetchEverything(store, commit, this.options.reading.maxFileBytes, signal);
  }

  async #transferMissing(loaded: Loaded, blobShas: readonly string[], signal: AbortSignal): Promise<void> {
    const wants = await loaded.store.missing(blobShas, signal);
    if (wants.length === 0) return;
    if (wants.length > MAX_WANTS) {
      await this.#fetchEverything(loaded, signal);
      loaded.isComplete = true;
    } else {
      await this.requests.fetchBlobs(loaded.store, wants, signal);
    }
  }

  /** Does the work again with an empty store when objects of a former run are damaged. */
  async #repairing<T>(loaded: Loaded, signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (thrown) {
      if (!this.#isDamage(loaded, thrown, signal)) throw thrown;
      await this.#startOver(loaded, signal);
      return work();
    }
  }

  #isDamage({ store }: Loaded, thrown: unknown, signal: AbortSignal): boolean {
    throwIfAborted(signal);
    return store.isReused && thrown instanceof RepotideError && DAMAGES.includes(thrown.code);
  }

  async #startOver(loaded: Loaded, signal: AbortSignal): Promise<void> {
    loaded.store.discard();
    this.options.logger.warn({}, 'objects of an earlier run are damaged; they are transferred again');
    loaded.store = await this.#openStore(loaded.commit, null, signal);
    await this.#fetchCommit(loaded, null, signal);
  }

  /** @throws what concerns every way to read the host. */
  #giveUp(thrown: unknown, signal: AbortSignal): void {
    throwIfAborted(signal);
    const error = toRepotideError(thrown);
    if (['rate_limited', 'cancelled', 'fence_lost'].includes(error.kind)) throw error;
    // An error that nobody translated is a bug.
    if (error.code === 'internal_error' || !this.options.hasFallback) throw error;
    this.#reason = error.code;
    this.options.memory.recordFailure(this.options.endpoint.identity, error);
    const { code: error_code, message } = error;
    this.options.logger.info({ error_code, error: message }, 'git cannot be used; the API is used instead');
  }
}

function treesMissing(count: number): RepotideError {
  const message = `The code host's git did not send ${count} tree(s) that it names. Its API is used instead.`;
  return new RepotideError('internal', 'git_tree_missing', message);
}

import {
  groupsOf,
  RepotideError,
  type BlobContent,
  type GitEndpoint,
  type Logger,
  type ReadingPlan,
  throwIfAborted,
  toRepotideError,
  type Transport,
  type TreeEntry,
  type TreeReader,
} from '@core/domain';
import { type HostMemory } from './host-memory.js';
import { ObjectStore } from './object-store.js';
import { type StoredBlob } from './process/read-blobs.js';
import { type Capabilities, readCapabilities } from './protocol/capabilities.js';
import { encodeFetch, type FetchCommand } from './protocol/fetch-command.js';
import { readPack } from './protocol/read-pack.js';

/** Above it the whole tree is transferred: a longer list of ids is refused by proxies that allow a megabyte. */
const MAX_WANTS = 10_000;
const NO_CONTENTS = 'blob:none';
/** What changed since a former commit has the trees of all commits between; above it, those of the last one alone are smaller. */
const MAX_CHANGES_BYTES = 16 * 1024 * 1024;
/** Why a server does not send the changes since a former commit. */
const NO_CHANGES = ['git_commit_unknown', 'git_pack_too_large'];
/** A connection may break once; more often, the API is used. */
const TRIES = 2;

export interface GitTransferOptions {
  endpoint: GitEndpoint;
  reading: ReadingPlan;
  /** Path of the project's page, with the host's prefix. */
  projectPage: string;
  memory: HostMemory;
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
  readonly #stored = new Set<string>();
  projectPage: string;

  constructor(private readonly options: GitTransferOptions) {
    this.projectPage = options.projectPage;
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
      const rootId = await loaded.store.rootOf(commit, signal);
      return { rootId, read: (treeIds, until) => this.#readTrees(loaded, treeIds, until) };
    } catch (thrown) {
      this.#giveUp(thrown, signal);
      return null;
    }
  }

  /** The stored ones of these trees; when there is none, all of them after one more transfer. */
  async #readTrees(
    { store }: Loaded,
    treeIds: readonly string[],
    signal: AbortSignal,
  ): Promise<Map<string, TreeEntry[]> | null> {
    try {
      const found = await store.readTrees(treeIds, signal);
      if (found.size > 0) return found;
      for (const wants of groupsOf(treeIds, MAX_WANTS))
        await this.#fetch(store, { wants, isShallow: false, filter: NO_CONTENTS }, signal);
      const transferred = await store.readTrees(treeIds, signal);
      if (transferred.size < treeIds.length) throw treesMissing(treeIds.length - transferred.size);
      return transferred;
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
    try {
      if (!loaded.isComplete) await this.#transferMissing(loaded, blobShas, signal);
      yield* loaded.store.readBlobs(blobShas, maxBytes, signal);
    } catch (thrown) {
      this.#giveUp(thrown, signal);
    }
  }

  /** One blob; null: git left it out. @throws as {@link openTrees}. */
  async readBlob(blobSha: string, maxBytes: number, signal: AbortSignal): Promise<BlobContent | null> {
    const openEmpty = async (): Promise<Loaded> => {
      return { commit: '', store: await this.#openStore(blobSha, signal), isComplete: false };
    };
    this.#loading ??= { commit: '', loaded: openEmpty() };
    const { commit } = this.#loading;
    for await (const { content } of this.readBlobs(commit, [blobSha], maxBytes, signal)) return content;
    return null;
  }

  /** What the host's git can do, remembered for an hour. */
  capabilities(signal: AbortSignal): Promise<Capabilities> {
    const { endpoint, memory } = this.options;
    const page = this.projectPage;
    return memory.capabilitiesOf(`${endpoint.identity} ${page}`, () =>
      this.repeating(signal, () => readCapabilities(endpoint.advertise(page, signal))),
    );
  }

  async #openStore(idLike: string, signal: AbortSignal): Promise<ObjectStore> {
    const { ready, scratchRoot } = this.options;
    await ready(signal);
    const store = await ObjectStore.create(scratchRoot, idLike, signal);
    this.#stores.push(store);
    return store;
  }

  /** Never throws. */
  async close(): Promise<void> {
    await Promise.allSettled(this.#stores.map((store) => store.remove()));
  }

  #load(commit: string, former: string | null, signal: AbortSignal): Promise<Loaded | null> {
    if (this.#reason !== null) return Promise.resolve(null);
    if (this.#loading?.commit !== commit)
      this.#loading = { commit, loaded: this.#transfer(commit, former, signal) };
    return this.#loading.loaded;
  }

  async #transfer(commit: string, former: string | null, signal: AbortSignal): Promise<Loaded | null> {
    const { endpoint, memory, reading, hasFallback } = this.options;
    this.#reason = hasFallback ? memory.refusalOf(endpoint.identity) : null;
    if (this.#reason !== null) return null;
    try {
      const store = await this.#openStore(commit, signal);
      const { hasFilter } = await this.capabilities(signal);
      const isComplete = reading.isEverything || !hasFilter;
      const hasFormer = !isComplete && former !== null && former !== commit;
      if (hasFormer && (await this.#fetchChanges(store, commit, former, signal)))
        return { commit, store, isComplete };
      const wanted = isComplete ? this.#smallBlobs() : NO_CONTENTS;
      await this.#fetch(
        store,
        { wants: [commit], isShallow: true, filter: hasFilter ? wanted : null },
        signal,
      );
      return { commit, store, isComplete };
    } catch (thrown) {
      this.#giveUp(thrown, signal);
      return null;
    }
  }

  /** Transfers the trees that the former commit does not have. False: the server does not know it, or there are too many. */
  async #fetchChanges(
    store: ObjectStore,
    commit: string,
    former: string,
    signal: AbortSignal,
  ): Promise<boolean> {
    const command = { wants: [commit], haves: [former], isShallow: false, filter: NO_CONTENTS };
    try {
      await this.#fetch(store, command, signal, MAX_CHANGES_BYTES);
      return true;
    } catch (thrown) {
      if (thrown instanceof RepotideError && NO_CHANGES.includes(thrown.code)) return false;
      throw thrown;
    }
  }

  async #transferMissing(loaded: Loaded, blobShas: readonly string[], signal: AbortSignal): Promise<void> {
    const { commit, store } = loaded;
    const wants = blobShas.filter((sha) => !this.#stored.has(sha));
    if (wants.length === 0) return;
    if (wants.length > MAX_WANTS) {
      await this.#fetch(store, { wants: [commit], isShallow: true, filter: this.#smallBlobs() }, signal);
      loaded.isComplete = true;
    } else {
      await this.#fetch(store, { wants, isShallow: false, filter: null }, signal);
      for (const sha of wants) this.#stored.add(sha);
    }
  }

  #fetch(store: ObjectStore, command: FetchCommand, signal: AbortSignal, maxBytes?: number): Promise<void> {
    const body = encodeFetch(command);
    const hasContents = command.filter !== NO_CONTENTS;
    return this.repeating(signal, () =>
      store.add(
        readPack(this.options.endpoint.uploadPack(this.projectPage, body, signal)),
        hasContents,
        signal,
        maxBytes,
      ),
    );
  }

  /** Repeats what failed within an answer; the endpoint has repeated everything else. */
  async repeating<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    for (let tries = 1; ; tries += 1) {
      try {
        return await work();
      } catch (thrown) {
        throwIfAborted(signal);
        if (tries === TRIES || toRepotideError(thrown).kind !== 'temporary') throw thrown;
      }
    }
  }

  /** Git leaves out blobs of this size and more. */
  #smallBlobs(): string {
    return `blob:limit=${this.options.reading.maxFileBytes + 1}`;
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

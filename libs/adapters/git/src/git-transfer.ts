import {
  type GitEndpoint,
  type Logger,
  type ReadingPlan,
  throwIfAborted,
  toRepotideError,
  type Transport,
} from '@core/domain';
import { type HostMemory } from './host-memory.js';
import { ObjectStore, type StoredBlob } from './object-store.js';
import { readCapabilities } from './protocol/capabilities.js';
import { encodeFetch, type FetchCommand } from './protocol/fetch-command.js';
import { readPack } from './protocol/read-pack.js';

/** Above it the whole tree is transferred: a longer list of ids is refused by proxies that allow a megabyte. */
const MAX_WANTS = 10_000;
const NO_CONTENTS = 'blob:none';
/** A connection may break once; more often, the API is used. */
const TRIES = 2;

export interface GitTransferOptions {
  endpoint: GitEndpoint;
  reading: ReadingPlan;
  /** Path of the project's page, with the host's prefix. */
  projectPage: string;
  memory: HostMemory;
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

  /** The commit's trees; null when git cannot be used. @throws what concerns the API too: an abort, a rate limit. */
  async treesOf(commit: string, signal: AbortSignal): Promise<ObjectStore | null> {
    return (await this.#load(commit, signal))?.store ?? null;
  }

  /** The commit's trees, if {@link treesOf} has transferred them. */
  async transferredTreesOf(commit: string): Promise<ObjectStore | null> {
    if (this.#loading?.commit !== commit) return null;
    return (await this.#loading.loaded)?.store ?? null;
  }

  /** These blobs of the commit, except what git does not send. @throws as {@link treesOf}. */
  async *readBlobs(
    commit: string,
    blobShas: readonly string[],
    maxBytes: number,
    signal: AbortSignal,
  ): AsyncGenerator<StoredBlob> {
    const loaded = await this.#load(commit, signal);
    if (loaded === null) return;
    try {
      if (!loaded.isComplete) await this.#transferMissing(loaded, blobShas, signal);
      yield* loaded.store.readBlobs(blobShas, maxBytes, signal);
    } catch (thrown) {
      this.#giveUp(thrown, signal);
    }
  }

  /** Never throws. */
  async close(): Promise<void> {
    await Promise.allSettled(this.#stores.map((store) => store.remove()));
  }

  #load(commit: string, signal: AbortSignal): Promise<Loaded | null> {
    if (this.#reason !== null) return Promise.resolve(null);
    if (this.#loading?.commit !== commit) this.#loading = { commit, loaded: this.#transfer(commit, signal) };
    return this.#loading.loaded;
  }

  async #transfer(commit: string, signal: AbortSignal): Promise<Loaded | null> {
    const { endpoint, memory, reading, ready, scratchRoot } = this.options;
    this.#reason = memory.refusalOf(endpoint.identity);
    if (this.#reason !== null) return null;
    try {
      await ready(signal);
      const page = this.projectPage;
      const { hasFilter } = await memory.capabilitiesOf(`${endpoint.identity} ${page}`, () =>
        this.#repeating(signal, () => readCapabilities(endpoint.advertise(page, signal))),
      );
      const store = await ObjectStore.create(scratchRoot, commit, signal);
      this.#stores.push(store);
      const isComplete = reading.isEverything || !hasFilter;
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

  #fetch(store: ObjectStore, command: FetchCommand, signal: AbortSignal): Promise<void> {
    const body = encodeFetch(command);
    const hasContents = command.filter !== NO_CONTENTS;
    return this.#repeating(signal, () =>
      store.add(
        readPack(this.options.endpoint.uploadPack(this.projectPage, body, signal)),
        hasContents,
        signal,
      ),
    );
  }

  /** Repeats what failed within an answer; the endpoint has repeated everything else. */
  async #repeating<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> {
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
    if (error.code === 'internal_error') throw error;
    this.#reason = error.code;
    this.options.memory.recordFailure(this.options.endpoint.identity, error);
    const { code: error_code, message } = error;
    this.options.logger.info({ error_code, error: message }, 'git cannot be used; the API is used instead');
  }
}

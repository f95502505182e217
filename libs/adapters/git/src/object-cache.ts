import { rm } from 'node:fs/promises';
import { listPacks, type ObjectDirectory, removeDirectory } from './object-directory.js';

/** Each push adds two packs. Git looks for an object in each, so a repository with more is transferred anew. */
const MAX_PACKS = 500;

export interface ObjectCacheOptions {
  /** Limits all directories that no run uses, together. */
  maxBytes: number;
  observer?: ObjectCacheObserver;
}

export interface ObjectCacheObserver {
  opened(result: 'hit' | 'miss'): void;
  removed(reason: 'evicted' | 'damaged'): void;
  sized(bytes: number): void;
}

interface Entry {
  path: Promise<string>;
  uses: number;
  bytes: number;
}

/**
 * Keeps the objects of projects on the scratch disk between the runs of this process. What is needed again is not
 * transferred again. Losing any of it, also during a run, costs a transfer. The least recently used project leaves first.
 */
export class ObjectCache {
  /** The least recently used one is the first. */
  readonly #entries = new Map<string, Entry>();

  constructor(private readonly options: ObjectCacheOptions) {}

  /**
   * The directory of a project; several runs may use it at once.
   * @param key names the host, the credential and the project, because another credential may not see the same.
   * @param create returns the path of a new directory.
   */
  async open(key: string, create: () => Promise<string>): Promise<ObjectDirectory> {
    const known = this.#entries.get(key);
    const entry = known ?? { path: create(), uses: 0, bytes: 0 };
    entry.uses += 1;
    this.#entries.delete(key);
    this.#entries.set(key, entry);
    const discard = (): void => this.#forget(key, entry, 'damaged');
    try {
      const path = await entry.path;
      this.options.observer?.opened(known ? 'hit' : 'miss');
      let isReleased = false;
      const release = async (): Promise<void> => {
        if (!isReleased) {
          isReleased = true;
          await this.#release(key, entry, path);
        }
      };
      return { path, isReused: known !== undefined, discard, release };
    } catch (thrown) {
      if (this.#entries.get(key) === entry) this.#entries.delete(key);
      throw thrown;
    }
  }

  /** Removes everything. Call it after the last run has ended. */
  async close(): Promise<void> {
    const entries = [...this.#entries.values()];
    this.#entries.clear();
    await Promise.all(entries.map(removeEntry));
  }

  async #release(key: string, entry: Entry, path: string): Promise<void> {
    entry.uses -= 1;
    if (entry.uses > 0) return;
    const { packs, bytes, unfinished } = await listPacks(path);
    // Another run may have begun meanwhile.
    if (entry.uses > 0) return;
    if (packs > MAX_PACKS) this.#forget(key, entry, 'evicted');
    if (this.#entries.get(key) !== entry) return removeDirectory(path);
    entry.bytes = bytes;
    await Promise.allSettled(unfinished.map((file) => rm(file, { force: true })));
    await this.#evict();
  }

  async #evict(): Promise<void> {
    let total = [...this.#entries.values()].reduce((sum, { bytes }) => sum + bytes, 0);
    const removals: Promise<void>[] = [];
    for (const [key, entry] of this.#entries) {
      if (total <= this.options.maxBytes) break;
      if (entry.uses > 0) continue;
      total -= entry.bytes;
      this.#forget(key, entry, 'evicted');
      removals.push(removeEntry(entry));
    }
    this.options.observer?.sized(total);
    await Promise.all(removals);
  }

  /** Runs that use it keep its directory until they end. */
  #forget(key: string, entry: Entry, reason: 'evicted' | 'damaged'): void {
    if (this.#entries.get(key) !== entry) return;
    this.#entries.delete(key);
    this.options.observer?.removed(reason);
  }
}

async function removeEntry({ path }: Entry): Promise<void> {
  await path.then(removeDirectory, () => undefined);
}

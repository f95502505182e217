import { type GitEndpoint, RepotideError, throwIfAborted, toRepotideError } from '@core/domain';
import { type HostMemory } from './host-memory.js';
import { type ObjectStore } from './object-store.js';
import { type Capabilities, readCapabilities } from './protocol/capabilities.js';
import { encodeFetch, type FetchCommand } from './protocol/fetch-command.js';
import { readPack } from './protocol/read-pack.js';

const NO_CONTENTS = 'blob:none';
/** What changed since a former commit has the trees of all commits between; above it, those of the last one alone are smaller. */
const MAX_CHANGES_BYTES = 16 * 1024 * 1024;
/** Why a server does not send the changes since a former commit. */
const NO_CHANGES = ['git_commit_unknown', 'git_pack_too_large'];
/** A connection may break once; more often, the API is used. */
const TRIES = 2;

export interface PackRequestsOptions {
  endpoint: GitEndpoint;
  /** Path of the project's page, with the host's prefix. */
  projectPage: string;
  memory: HostMemory;
}

/** Requests packs of one project and adds them to a store. */
export class PackRequests {
  projectPage: string;

  constructor(private readonly options: PackRequestsOptions) {
    this.projectPage = options.projectPage;
  }

  /** What the host's git can do, remembered for an hour. */
  capabilities(signal: AbortSignal): Promise<Capabilities> {
    const { endpoint, memory } = this.options;
    const page = this.projectPage;
    return memory.capabilitiesOf(`${endpoint.identity} ${page}`, () =>
      this.repeating(signal, () => readCapabilities(endpoint.advertise(page, signal))),
    );
  }

  /** A commit with all trees, without history and contents. */
  fetchTrees(store: ObjectStore, commit: string, signal: AbortSignal): Promise<void> {
    return this.#fetch(store, { wants: [commit], isShallow: true, filter: NO_CONTENTS }, signal);
  }

  /** The trees that the former commit does not have. False: the server does not know it, or there are too many. */
  async fetchChangedTrees(
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

  /** Trees by id, with all trees below. */
  fetchTreesById(store: ObjectStore, wants: readonly string[], signal: AbortSignal): Promise<void> {
    return this.#fetch(store, { wants, isShallow: false, filter: NO_CONTENTS }, signal);
  }

  fetchBlobs(store: ObjectStore, wants: readonly string[], signal: AbortSignal): Promise<void> {
    return this.#fetch(store, { wants, isShallow: false, filter: null }, signal);
  }

  /** A commit with all trees and contents, without history. Larger blobs are left out where the server can do that. */
  async fetchEverything(
    store: ObjectStore,
    commit: string,
    maxBlobBytes: number,
    signal: AbortSignal,
  ): Promise<void> {
    const { hasFilter } = await this.capabilities(signal);
    // Git leaves out blobs of this size and more.
    const filter = hasFilter ? `blob:limit=${maxBlobBytes + 1}` : null;
    await this.#fetch(store, { wants: [commit], isShallow: true, filter }, signal);
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

  #fetch(store: ObjectStore, command: FetchCommand, signal: AbortSignal, maxBytes?: number): Promise<void> {
    const body = encodeFetch(command);
    const hasContents = command.filter !== NO_CONTENTS;
    return this.repeating(signal, () => {
      const answer = this.options.endpoint.uploadPack(this.projectPage, body, signal);
      return store.add(readPack(answer), hasContents, signal, maxBytes);
    });
  }
}

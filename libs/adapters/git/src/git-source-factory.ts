import { tmpdir } from 'node:os';
import {
  type Clock,
  type GitRepositoryHost,
  type Logger,
  type Source,
  type SourceFactory,
  type SourceWithGit,
} from '@core/domain';
import { GitTransfer, type GitTransferOptions } from './git-transfer.js';
import { HostMemory } from './host-memory.js';
import { ObjectCache, type ObjectCacheOptions } from './object-cache.js';
import { createPlainGitSource } from './plain-git-source.js';
import { assertGitVersion } from './process/run-git.js';
import { removeStaleScratch } from './process/scratch.js';

export interface GitSourceOptions {
  hosts: {
    /** Opens sources over the API of a host that also serves git. */
    open(...use: Parameters<SourceFactory['open']>): Promise<SourceWithGit>;
    /** Opens the git of any host. */
    openGit(...use: Parameters<SourceFactory['open']>): Promise<GitRepositoryHost>;
  };
  /** Read projects of a host with an API through that API alone. */
  isApiOnly?: boolean;
  logger: Logger;
  clock: Clock;
  /** Holds a run's objects until its end. Default: the system's temporary directory. */
  scratchRoot?: string;
  /** Keeps objects between runs. Absent: each run transfers what it needs. */
  cache?: ObjectCacheOptions;
}

export interface GitSourceFactory extends SourceFactory {
  /** Removes what was kept on disk. Call it after the last run has ended. */
  close(): Promise<void>;
}

/**
 * Opens sources of any host. A repository of the provider `git` is read through git alone. Of a host with an API, sources
 * read trees and contents through git's own protocol, and everything else through the host's API. A
 * run that git cannot serve uses the API alone; a refusal is remembered per host and credential.
 */
export function createGitSourceFactory(options: GitSourceOptions): GitSourceFactory {
  const { hosts, clock, scratchRoot = tmpdir(), isApiOnly = false } = options;
  const memory = new HostMemory(clock);
  const kept = options.cache && options.cache.maxBytes > 0 ? new ObjectCache(options.cache) : null;
  let prepared: Promise<void> | null = null;
  const ready = (signal: AbortSignal): Promise<void> => {
    prepared ??= assertGitVersion(signal).then(() => removeStaleScratch(scratchRoot));
    // A run that is cancelled meanwhile proves nothing about git.
    prepared.catch(() => (prepared = null));
    return prepared;
  };
  type Transferred = Pick<
    GitTransferOptions,
    'endpoint' | 'reading' | 'projectPage' | 'hasFallback' | 'cache'
  >;
  const openTransfer = (what: Transferred) => {
    const logger = options.logger.child({ project: what.reading.projectPath });
    return new GitTransfer({ ...what, memory, ready, scratchRoot, logger });
  };
  return {
    close: async () => kept?.close(),
    async open(target, signal, use = {}) {
      const { provider, projectPath = '' } = target;
      if (provider === 'git') {
        const host = await hosts.openGit(target, signal, use);
        const reading = use.reading ?? { projectPath, isEverything: false, maxFileBytes: 0 };
        // A run proves first that its credential sees the branch; other readers prove it by each transfer.
        const cache = use.reading ? kept : null;
        const projectPage = new URL(projectPath).pathname;
        const what = { endpoint: host.git, reading, projectPage, hasFallback: false, cache };
        return createPlainGitSource(projectPath, host, openTransfer(what));
      }
      const host = await hosts.open(target, signal, use);
      const { reading } = use;
      if (reading === undefined || isApiOnly) return host;
      const projectPage = pageOf(target.baseUrl, reading.projectPath);
      const what = { endpoint: host.git, reading, projectPage, hasFallback: true, cache: kept };
      return createGitSource(host, openTransfer(what));
    },
  };
}

function createGitSource(host: SourceWithGit, transfer: GitTransfer): Source {
  return {
    ...host,
    transport: () => transfer.transport(),
    close: () => transfer.close(),

    async headOf(projectId, branch, signal) {
      const head = await host.headOf(projectId, branch, signal);
      // The project may have moved.
      transfer.requests.projectPage = head.webPath ?? transfer.requests.projectPage;
      return head;
    },

    openTrees: (_projectId, commit, former, signal) => transfer.openTrees(commit, former, signal),

    readObjects: (_projectId, commit, blobShas, maxBytes, signal) =>
      transfer.readBlobs(commit, blobShas, maxBytes, signal),
  };
}

function pageOf(baseUrl: string, projectPath: string): string {
  const prefix = new URL(baseUrl).pathname.replace(/\/+$/, '');
  return `${prefix}/${projectPath.split('/').map(encodeURIComponent).join('/')}`;
}

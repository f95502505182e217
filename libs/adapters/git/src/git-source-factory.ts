import { tmpdir } from 'node:os';
import { type Clock, type Logger, type Source, type SourceFactory, type SourceWithGit } from '@core/domain';
import { GitTransfer } from './git-transfer.js';
import { HostMemory } from './host-memory.js';
import { assertGitVersion } from './process/git-version.js';
import { removeStaleScratch } from './process/scratch.js';

export interface GitSourceOptions {
  /** Opens sources over the API of a host that also serves git. */
  hosts: { open(...use: Parameters<SourceFactory['open']>): Promise<SourceWithGit> };
  logger: Logger;
  clock: Clock;
  /** Holds a run's objects until its end. Default: the system's temporary directory. */
  scratchRoot?: string;
}

/**
 * Opens sources that read trees and contents through git's own protocol, and everything else through the host's API. A
 * run that git cannot serve uses the API alone; a refusal is remembered per host and credential.
 */
export function createGitSourceFactory(options: GitSourceOptions): SourceFactory {
  const { hosts, clock, scratchRoot = tmpdir() } = options;
  const memory = new HostMemory(clock);
  let prepared: Promise<void> | null = null;
  const ready = (signal: AbortSignal): Promise<void> => {
    prepared ??= assertGitVersion(signal).then(() => removeStaleScratch(scratchRoot));
    // A run that is cancelled meanwhile proves nothing about git.
    prepared.catch(() => (prepared = null));
    return prepared;
  };
  return {
    async open(target, signal, use = {}) {
      const host = await hosts.open(target, signal, use);
      const { reading } = use;
      if (reading === undefined) return host;
      const projectPage = pageOf(target.baseUrl, reading.projectPath);
      const logger = options.logger.child({ project: reading.projectPath });
      const shared = { memory, ready, scratchRoot, logger };
      return createGitSource(host, new GitTransfer({ ...shared, endpoint: host.git, reading, projectPage }));
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
      transfer.projectPage = head.webPath ?? transfer.projectPage;
      return head;
    },

    async *listTree(projectId, commit, signal) {
      const trees = await transfer.treesOf(commit, signal);
      yield* trees?.listTree(commit, signal) ?? host.listTree(projectId, commit, signal);
    },

    /** Trees are not transferred for one folder: the API sends it in one request. */
    async listFolder(projectId, commit, folder, signal) {
      const trees = await transfer.transferredTreesOf(commit);
      return trees?.listFolder(commit, folder, signal) ?? host.listFolder(projectId, commit, folder, signal);
    },

    async findBlobs(project, commit, paths, signal) {
      const trees = await transfer.transferredTreesOf(commit);
      return trees?.findBlobs(commit, paths, signal) ?? host.findBlobs(project, commit, paths, signal);
    },

    /** With the trees there is nothing to compare: the former commit is not transferred. */
    async compare(projectId, from, to, signal) {
      const trees = await transfer.treesOf(to, signal);
      return trees === null ? host.compare(projectId, from, to, signal) : null;
    },

    readObjects: (_projectId, commit, blobShas, maxBytes, signal) =>
      transfer.readBlobs(commit, blobShas, maxBytes, signal),
  };
}

function pageOf(baseUrl: string, projectPath: string): string {
  const prefix = new URL(baseUrl).pathname.replace(/\/+$/, '');
  return `${prefix}/${projectPath.split('/').map(encodeURIComponent).join('/')}`;
}

import {
  type GitEndpoint,
  type GitRepositoryHost,
  RepotideError,
  type Source,
  type TreeEntry,
} from '@core/domain';
import { type GitTransfer } from './git-transfer.js';
import { listFolder, listTree } from './walk-trees.js';
import { encodeListRefs, readRefs, type Refs } from './protocol/refs.js';

/** More names do not help to find a misspelt one. */
const MAX_NAMED = 20;

/** One repository of a host of which nothing but git's own protocol is known. */
export function createPlainGitSource(url: string, host: GitRepositoryHost, transfer: GitTransfer): Source {
  const list = (prefix: string, signal: AbortSignal) => listRefs(url, host.git, transfer, prefix, signal);
  const treesOf = async (commit: string, signal: AbortSignal, former: string | null = null) => {
    try {
      // Without another way to read the host, a failure is thrown.
      return (await transfer.openTrees(commit, former, signal))!;
    } catch (thrown) {
      throw isCode(thrown, 'git_fetch_refused') ? commitNotFound(url, commit) : missing(thrown, url);
    }
  };
  return {
    usage: () => host.usage(),
    transport: () => transfer.transport(),
    close: () => transfer.close(),

    async findProject(_project, signal) {
      const { head, branches } = await list('', signal);
      const isEmpty = branches.size === 0;
      // A HEAD that points at no branch is of no use.
      const defaultBranch = head !== null && branches.has(head) ? head : null;
      const state = { isEmpty, isArchived: false, isMarkedForDeletion: false };
      return { projectId: null, projectPath: url, defaultBranch, ...state };
    },

    async headOf(_projectId, branch, signal) {
      const commit = (await list(branch, signal)).branches.get(branch);
      if (commit !== undefined) return { commit, webPath: null };
      throw branchNotFound(url, branch, await list('', signal));
    },

    listBranches: async (_projectId, signal) => [...(await list('', signal)).branches.keys()],

    openTrees: (_projectId, commit, former, signal) => treesOf(commit, signal, former),
    async *listTree(_projectId, commit, signal) {
      yield* listTree(await treesOf(commit, signal), signal);
    },
    listFolder: async (_projectId, commit, folder, signal) =>
      listFolder(await treesOf(commit, signal), folder, signal),
    async findBlobs(_project, commit, paths, signal) {
      const found = new Map<string, Pick<TreeEntry, 'mode' | 'blobSha'>>();
      const wanted = new Set(paths);
      for await (const entries of listTree(await treesOf(commit, signal), signal))
        for (const { path, mode, blobSha } of entries)
          if (wanted.has(path)) found.set(path, { mode, blobSha });
      return found;
    },

    async *readObjects(_projectId, commit, blobShas, maxBytes, signal) {
      const left = new Set(blobShas);
      for await (const blob of transfer.readBlobs(commit, blobShas, maxBytes, signal)) {
        left.delete(blob.blobSha);
        yield blob;
      }
      // Git refuses to send an incomplete pack, so the others are what the filter left out: it does not say their size.
      for (const blobSha of left) yield { blobSha, content: { kind: 'too_large', sizeBytes: null } };
    },
    readBlob: async (_projectId, blobSha, maxBytes, signal) =>
      (await transfer.readBlob(blobSha, maxBytes, signal)) ?? { kind: 'too_large', sizeBytes: null },

    // Nothing beside git is known of the host: the trees and blobs above are all there is.
    compare: async () => null,
    readTexts: async () => new Map(),
    readArchive: () => {
      throw unsupported(url, 'archives');
    },
    listProjects: () => Promise.reject(unsupported(url, 'a list of projects')),
  };
}

async function listRefs(
  url: string,
  git: GitEndpoint,
  transfer: GitTransfer,
  prefix: string,
  signal: AbortSignal,
): Promise<Refs> {
  try {
    const command = encodeListRefs(prefix, await transfer.requests.capabilities(signal));
    return await transfer.requests.repeating(signal, () =>
      readRefs(git.uploadPack(transfer.requests.projectPage, command, signal)),
    );
  } catch (thrown) {
    throw missing(thrown, url);
  }
}

function isCode(thrown: unknown, code: string): boolean {
  return thrown instanceof RepotideError && thrown.code === code;
}

/** A 404 proves only that this token sees no repository at this address. */
function missing(thrown: unknown, url: string): unknown {
  if (!isCode(thrown, 'source_not_found')) return thrown;
  const message =
    `The git host shows no repository at ${url}. The response is the same for a private one whose token is missing or ` +
    'may not read it. Check the URL (some hosts expect it with ".git", some without), and the credential_id.';
  return new RepotideError('not_found', 'project_not_found', message, { cause: thrown });
}

function branchNotFound(url: string, branch: string, { branches, head }: Refs): RepotideError {
  if (branches.size === 0) {
    const message = `${url} has no commit yet. Push one, or remove the repository.`;
    return new RepotideError('not_found', 'repository_empty', message);
  }
  const names = [...branches.keys()].slice(0, MAX_NAMED).map((name) => `"${name}"`);
  const more = branches.size > MAX_NAMED ? ` and ${branches.size - MAX_NAMED} more` : '';
  const byDefault = head === null ? '' : ` Its default branch is "${head}".`;
  const message =
    `${url} has no branch "${branch}".${byDefault} It has ${names.join(', ')}${more}. ` +
    "Set the repository's branch to one of them.";
  return new RepotideError('not_found', 'branch_not_found', message);
}

function commitNotFound(url: string, commit: string): RepotideError {
  const message = `${url} no longer has the commit ${commit}, e.g. after a force push. Sync again.`;
  return new RepotideError('not_found', 'commit_not_found', message);
}

function unsupported(url: string, what: string): RepotideError {
  const message = `${url} is read by git alone, which has no ${what}.`;
  return new RepotideError('invalid', 'source_unsupported', message);
}

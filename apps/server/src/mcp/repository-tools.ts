import { z } from 'zod';
import { shownPath } from '@core/chunking';
import { type ReadLinesService } from '../reading/read-lines.service.js';
import { type RepositoryStatus, type RepositoryStatusService } from '../reading/repository-status.service.js';
import { nameOf, type ReadableRepositories } from '../reading/readable-repositories.js';
import { tool } from './tool.js';
import { ago, numbered, shortCommit } from './words.js';

export const REPOSITORY_INPUT = z
  .string()
  .min(1)
  .max(1024)
  .describe(
    'Full path of the project, such as "group/project"; with "@branch" when several are indexed; or the id.',
  );

const MAX_LISTED = 100;
const DEFAULT_LINES = 200;
const MAX_LINES = 500;
const MAX_CHARACTERS = 25_000;

export function listRepositories(readable: ReadableRepositories) {
  return tool({
    name: 'list_repositories',
    title: 'List indexed repositories',
    description:
      'Lists the repositories that are indexed and that you can search: name, branch, commit and age of the index. ' +
      'Use it first when you do not know the exact name of a repository.',
    input: z.object({
      name_contains: z
        .string()
        .min(1)
        .max(255)
        .optional()
        .describe('Only names with this text, in any case.'),
    }),
    async run({ name_contains: part }, { visible }) {
      const found = await readable.list(visible, part);
      if (found.length === 0)
        return part === undefined
          ? 'No repository is indexed that this token can read.'
          : `No repository has "${part}" in its name. Call list_repositories without name_contains.`;
      const lines = found.slice(0, MAX_LISTED).map((repository) => {
        const { lastSyncedCommit, lastSyncAt } = repository;
        return `- ${nameOf(repository)} (commit ${shortCommit(lastSyncedCommit)}, synced ${ago(lastSyncAt)})`;
      });
      const more = found.length - lines.length;
      const rest = more > 0 ? [`and ${more} more: use name_contains`] : [];
      return [`${found.length} repositories:`, ...lines, ...rest].join('\n');
    },
  });
}

export function readFile(readable: ReadableRepositories, files: ReadLinesService) {
  return tool({
    name: 'read_file',
    title: 'Read lines of a file',
    description:
      'Reads lines of an indexed file, with line numbers, exactly as indexed. Use it after search_code to see more of ' +
      `a file than the snippet. At most ${MAX_LINES} lines per call; the answer says where to go on.`,
    input: z.object({
      repository: REPOSITORY_INPUT,
      path: z
        .string()
        .min(1)
        .max(4096)
        .describe('Path from the root of the repository, such as "src/main.ts".'),
      start_line: z.int().min(1).default(1).describe('First line, from 1.'),
      end_line: z
        .int()
        .min(1)
        .optional()
        .describe(`Last line; default: ${DEFAULT_LINES} lines from the first one.`),
    }),
    async run({ repository: name, path, start_line: startLine, end_line: endLine }, call) {
      const { signal, visible } = call;
      const repository = await readable.named(name, visible);
      const wanted = endLine === undefined ? DEFAULT_LINES : Math.max(1, endLine - startLine + 1);
      const request = {
        path,
        startLine,
        maxLines: Math.min(wanted, MAX_LINES),
        maxCharacters: MAX_CHARACTERS,
      };
      const file = await files.read(repository, request, signal);
      const last = startLine + file.lines.length - 1;
      call.shows({ repositoryIds: [repository.id], path: file.path, lines: `${startLine}-${last}` });
      const head = [
        `${nameOf(repository)} ${shownPath(file.path)} lines ${startLine}-${last} of ${file.totalLines}`,
        `(${file.language ?? 'unknown language'}, commit ${shortCommit(file.commit)}, synced ${ago(repository.lastSyncAt)})`,
      ];
      const notes = [
        ...(last < file.totalLines ? [`More: start_line ${last + 1}.`] : []),
        ...(file.secretsRemoved > 0
          ? [`${file.secretsRemoved} secrets are replaced by [redacted:...].`]
          : []),
      ];
      return [head.join(' '), numbered(file.lines, startLine), ...notes].join('\n');
    },
  });
}

export function repositoryStatus(readable: ReadableRepositories, statuses: RepositoryStatusService) {
  return tool({
    name: 'repository_status',
    title: 'Freshness and gaps of a repository',
    description:
      'Says how current the index of a repository is and what is not in it: commit, time and result of the last sync, ' +
      'numbers and reasons of files that were left out or failed. Use it when a search misses something that you expect, ' +
      'before you say that it does not exist.',
    input: z.object({ repository: REPOSITORY_INPUT }),
    async run({ repository: name }, { visible, shows }) {
      const repository = await readable.named(name, visible);
      shows({ repositoryIds: [repository.id] });
      return describeStatus(await statuses.statusOf(repository));
    },
  });
}

function describeStatus({
  repository,
  files,
  skipReasons,
  failures,
  current,
  last,
}: RepositoryStatus): string {
  const { lastSyncedCommit, lastSyncAt, lostSince, lastDrift } = repository;
  const lines = [
    nameOf(repository),
    lastSyncedCommit === null
      ? 'Not indexed yet: no sync has completed.'
      : `Index: commit ${lastSyncedCommit}, the head of ${repository.branch} at the sync ${ago(lastSyncAt)}.`,
    `Files: ${files.indexed} indexed, ${files.skipped} left out, ${files.failed} failed.`,
  ];
  if (skipReasons.length > 0)
    lines.push(`Left out because: ${skipReasons.map(([reason, count]) => `${reason} ${count}`).join(', ')}.`);
  for (const { path, error } of failures) lines.push(`Failed: ${shownPath(path)}: ${error}`);
  if (current) lines.push(`A run is ${current.status} since ${ago(current.startedAt ?? current.queuedAt)}.`);
  if (last)
    lines.push(
      `Last run: ${last.status} ${ago(last.completedAt)}${last.errorMessage ? `: ${last.errorMessage}` : ''}.`,
    );
  if (lostSince) lines.push('Its points are missing in the vector store; the next run restores them.');
  if (lastDrift) lines.push(`Its last verification found ${lastDrift.files} differing files.`);
  return lines.join('\n');
}

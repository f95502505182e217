import { type GitTreeEntry, shownByGitLab } from '../git/tree.js';
import { type Caller } from './access.js';
import { GraphqlProblem } from './graphql-syntax.js';
import { accessTo, headOfProject, type ProjectRegistry, type ServedProject } from './projects.js';
import { isBinaryByte } from './raw-content.js';
import { type GitLabSettings } from './settings.js';

type GraphqlArguments = Readonly<Record<string, unknown>>;

/** An object of the graph; its fields are computed lazily. */
export interface GraphqlObject {
  typeName: string;
  /** `selected`: the names of the fields that are selected of the answer. */
  fields: Readonly<Record<string, (args: GraphqlArguments, selected: readonly string[]) => unknown>>;
}

export interface GraphqlContext {
  projects: ProjectRegistry;
  caller: Caller;
  settings: GitLabSettings;
}

/** The largest page of any connection. */
export const MAX_PAGE_SIZE = 100;
const SNIFFED_BYTES = 512;
const DATA_FIELDS = ['rawBlob', 'rawTextBlob'];

export function queryType(context: GraphqlContext): GraphqlObject {
  return {
    typeName: 'Query',
    fields: {
      project: ({ fullPath }) => {
        if (typeof fullPath !== 'string') {
          throw new GraphqlProblem("Field 'project' is missing required arguments: fullPath");
        }
        // The argument is a path, never a number. A hidden project is null, not an error.
        const found = context.projects.find(fullPath);
        if (found === null || found.project.path !== fullPath) return null;
        const access = accessTo(found.project, context.caller);
        return access === 'none' ? null : projectType(context, found.project, access === 'code');
      },
    },
  };
}

function projectType(context: GraphqlContext, project: ServedProject, hasCode: boolean): GraphqlObject {
  return {
    typeName: 'Project',
    fields: {
      id: () => `gid://gitlab/Project/${project.id}`,
      fullPath: () => project.path,
      archived: () => project.archived,
      repository: () => (hasCode ? repositoryType(context, project) : null),
    },
  };
}

function repositoryType(context: GraphqlContext, project: ServedProject): GraphqlObject {
  return {
    typeName: 'Repository',
    fields: {
      exists: () => true,
      empty: async () => (await headOfProject(project)) === null,
      rootRef: async () => (await headOfProject(project))?.name ?? null,
      blobs: async (args, selected) => {
        const entries = await findBlobs(project, args);
        if (entries.length > 1 && selected.some((field) => DATA_FIELDS.includes(field)))
          await checkTotalSize(project, entries, context.settings.graphql.maxBlobBytes);
        return connectionType(entries, args, context.settings.graphql.defaultPageSize, (entry) =>
          blobType(project, entry),
        );
      },
    },
  };
}

async function findBlobs(project: ServedProject, args: GraphqlArguments): Promise<GitTreeEntry[]> {
  const { paths, ref } = args;
  if (!Array.isArray(paths)) {
    throw new GraphqlProblem("Field 'blobs' is missing required arguments: paths");
  }
  const commit =
    typeof ref === 'string' ? await project.reader.commitOf(ref) : (await headOfProject(project))?.commit;
  if (commit === undefined || commit === null) return [];
  const listing = await project.reader.tree(commit);
  const entries = paths.map((path) => listing.find(String(path)));
  return entries.filter((entry) => entry?.type === 'blob') as GitTreeEntry[];
}

/** GitLab limits the data of all blobs of a query together, but not that of a single one. */
async function checkTotalSize(
  { reader }: ServedProject,
  entries: readonly GitTreeEntry[],
  maxBytes: number,
): Promise<void> {
  const headers = await Promise.all(entries.map(({ sha }) => reader.blobHeader(sha)));
  const total = headers.reduce((sum, header) => sum + (header?.sizeBytes ?? 0), 0);
  if (total <= maxBytes) return;
  const [found, limit] = [total, maxBytes].map((bytes) => `${Math.round(bytes / 104_857.6) / 10} MB`);
  throw new GraphqlProblem(`Max blobs size limit exceeded (${found} / ${limit}).`);
}

function connectionType(
  entries: readonly GitTreeEntry[],
  args: GraphqlArguments,
  defaultPageSize: number,
  nodeType: (entry: GitTreeEntry) => GraphqlObject,
): GraphqlObject {
  const size = Math.min(typeof args.first === 'number' ? args.first : defaultPageSize, MAX_PAGE_SIZE);
  const start = typeof args.after === 'string' ? Number(Buffer.from(args.after, 'base64').toString()) : 0;
  const end = Math.min(start + size, entries.length);
  const page = entries.slice(start, end);
  return {
    typeName: 'RepositoryBlobConnection',
    fields: {
      nodes: () => page.map(nodeType),
      pageInfo: () => ({
        typeName: 'PageInfo',
        fields: {
          hasNextPage: () => end < entries.length,
          hasPreviousPage: () => start > 0,
          endCursor: () => (page.length === 0 ? null : Buffer.from(`${end}`).toString('base64')),
        },
      }),
    },
  };
}

function blobType(project: ServedProject, entry: GitTreeEntry): GraphqlObject {
  const content = async () => (await project.reader.blob(entry.sha))?.content ?? Buffer.alloc(0);
  const path = shownByGitLab(entry.path);
  const sizeBytes = async () => `${(await project.reader.blobHeader(entry.sha))?.sizeBytes ?? 0}`;
  return {
    typeName: 'RepositoryBlob',
    fields: {
      id: () => `gid://gitlab/Blob/${entry.sha}`,
      name: () => path.slice(path.lastIndexOf('/') + 1),
      path: () => path,
      oid: () => entry.sha,
      mode: () => entry.mode,
      // Both are of the type BigInt, which is sent as text.
      size: sizeBytes,
      rawSize: async () => lfsField(await content(), 'size (\\d+)') ?? (await sizeBytes()),
      lfsOid: async () => lfsField(await content(), 'oid sha256:([0-9a-f]{64})'),
      rawBlob: async () => (await content()).toString(),
      rawTextBlob: async () => textOf(await content()),
    },
  };
}

function lfsField(content: Buffer, pattern: string): string | null {
  const start = content.subarray(0, SNIFFED_BYTES).toString();
  if (!start.startsWith('version https://git-lfs.github.com/spec/v1\n')) return null;
  return new RegExp(`^${pattern}$`, 'm').exec(start)?.[1] ?? null;
}

function textOf(content: Buffer): string | null {
  return content.subarray(0, SNIFFED_BYTES).some(isBinaryByte) ? null : content.toString();
}

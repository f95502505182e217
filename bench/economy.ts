import { createLexicalEmbedder } from '@adapters/embedding';
import { type Embedder, type ManifestEntry } from '@core/domain';
import { createHash } from 'node:crypto';
import { replayedHistory } from '../test/support/replayed-history.js';
import { createSyncWorld } from '../test/support/sync-world.js';
import { startTestServer } from '../test/support/test-server.js';
import { atMost, type Benchmark } from './run/report.js';

const COMMITS = 200;
const QUICK_COMMITS = 15;
/** As the service has them. */
const CHUNKING = { chunkSize: 7_000, chunkOverlap: 1_500, maxFileBytes: 1_048_576 };

interface Totals {
  embedded: number;
  distinct: number;
  /** What embedding all chunks of every changed file would take. */
  byFile: number;
  byCommit: number;
  requests: number[];
}

export const economy: Benchmark = {
  title: 'Embedding economy',
  explains:
    'Every commit of a real history is synced over git, one after the other, with the chunks of the default settings. Embedded texts are compared with the distinct texts of the history (no one can embed fewer), with the rule of most tools, which embed all chunks of a file when it is new, moved or changed, and with a script that embeds everything at each commit. REPLAYED_REPOSITORY names another repository.',
  limits:
    'The chunks around a change: their text is new. Chunks are cut at the same lines again soon after an inserted line, so that the rest of a file keeps its texts.',
  async run({ isQuick, directory, progress }) {
    const count = isQuick ? QUICK_COMMITS : COMMITS;
    const history = await replayedHistory(directory, count);
    const stop = await startTestServer(process.env);
    try {
      const totals = await replay(history, progress);
      const row = (rule: string, texts: number) => [rule, texts, texts / totals.distinct];
      return {
        input: history.origin,
        tables: [
          {
            title: `Texts embedded in ${count} syncs`,
            columns: [{ title: 'rule' }, { title: 'texts' }, { title: 'of the distinct texts', digits: 2 }],
            rows: [
              row('distinct texts of the history', totals.distinct),
              row('Repotide', totals.embedded),
              row('every chunk of a changed file', totals.byFile),
              row('every chunk of every commit', totals.byCommit),
            ],
            plot: { labels: [0], value: 1 },
          },
          {
            title: 'Requests to the code host of each sync after the first',
            columns: [{ title: 'minimum / median / maximum' }],
            rows: [[totals.requests.slice(1)]],
          },
        ],
        goals: [
          atMost('embedded texts beside the distinct ones', 1.02, totals.embedded / totals.distinct),
          atMost('embedded texts beside those of changed files', 1, totals.embedded / totals.byFile),
        ],
      };
    } finally {
      await stop();
    }
  },
};

async function replay(
  { repository, commits }: Awaited<ReturnType<typeof replayedHistory>>,
  progress: (what: string) => void,
): Promise<Totals> {
  const texts = new Set<string>();
  const totals: Totals = { embedded: 0, distinct: 0, byFile: 0, byCommit: 0, requests: [] };
  const world = await createSyncWorld({
    ...{ transport: 'git', gitCacheBytes: 256 * 1024 * 1024, requestTimeoutMs: 60_000 },
    embedder: counting(createLexicalEmbedder(), (text) => {
      totals.embedded += 1;
      texts.add(createHash('sha256').update(text).digest('base64'));
    }),
  });
  try {
    const project = { path: 'team/replayed', gitDir: repository.directory, defaultBranch: 'main' };
    const { id: projectId, path: projectPath } = await world.gitlab.addProject(project);
    const repositoryId = await world.register({ projectId, projectPath, ...CHUNKING });
    let former = new Map<string, string>();
    for (const [number, commit] of commits.entries()) {
      progress(`commit ${number + 1} of ${commits.length}`);
      await repository.reset(commit);
      const run = await world.sync({ repositoryId });
      if (run.status !== 'completed') throw new Error(`${commit}: ${run.status} ${run.errorMessage}`);
      totals.requests.push(run.sourceRequests);
      const rows = await world.entries(repositoryId);
      totals.byCommit += chunksOf(rows);
      totals.byFile += chunksOf(rows.filter(({ path, blobSha }) => former.get(path) !== blobSha));
      former = new Map(rows.map(({ path, blobSha }) => [path, blobSha]));
    }
  } finally {
    await world.stop();
  }
  return { ...totals, distinct: texts.size };
}

function chunksOf(rows: readonly ManifestEntry[]): number {
  return rows.reduce((sum, { chunkCount }) => sum + chunkCount, 0);
}

/** Each indexed text was embedded once at least, so the texts that it sees are those of the history. */
function counting(embedder: Embedder, seen: (text: string) => void): Embedder {
  return new Proxy(embedder, {
    get: (target, key) => {
      if (key !== 'embed') {
        const member: unknown = Reflect.get(target, key, target);
        return typeof member === 'function' ? (member as () => unknown).bind(target) : member;
      }
      return (...args: Parameters<Embedder['embed']>) => {
        if (args[1] === 'document') args[0].forEach(seen);
        return target.embed(...args);
      };
    },
  });
}

import { type Cluster } from '../system/cluster.js';
import { type HeldPoint } from '../system/stand-ins-protocol.js';
import { groupBy } from './facts.js';
import { Judge, type Verdict } from './verdict.js';

interface RepositoryRow {
  id: string;
  project_id: string;
  branch: string;
  last_synced_commit: string | null;
  index_dirty: boolean;
  /** Of the newest run that recorded a commit. */
  last_status: 'completed' | 'partial' | null;
  deleted_at: Date | null;
  purged_at: Date | null;
}

interface ManifestRow {
  repository_id: string;
  path: string;
  blob_sha: string;
  chunk_count: number;
  skip_reason: string | null;
  last_error: string | null;
}

/**
 * G3 and I10: the points of a repository are exactly the chunks of its tree.
 * @param at `pointer`: at the commit that its last completed run recorded; `head`: at the current head of its branch.
 * @param only these repositories; absent: all repositories, and no other points may exist.
 */
export async function judgeIndex(
  cluster: Cluster,
  at: 'pointer' | 'head',
  only?: readonly string[],
): Promise<Verdict> {
  const promise =
    at === 'pointer'
      ? 'Where the last run completed, the index equals the tree of the commit that it claims'
      : 'After one more run each, every index equals the tree of its branch, and a deleted repository has no points';
  const judge = new Judge(at === 'pointer' ? 'G3' : 'I10', promise);
  const repositories = await cluster.postgres.query<RepositoryRow>(
    `SELECT r.id, r.project_id, r.branch, r.deleted_at, r.purged_at, i.last_synced_commit,
        COALESCE(i.index_dirty, false) AS index_dirty,
        (SELECT e.status FROM schedule_execution_logs e
          WHERE e.repository_id = r.id AND e.handler = 'repository_sync' AND e.to_commit IS NOT NULL
            AND e.status IN ('completed', 'partial')
          ORDER BY e.completed_at DESC LIMIT 1) AS last_status
      FROM repositories r LEFT JOIN index_generations g
        ON g.collection_name = r.collection_name AND g.status = 'active'
      LEFT JOIN repository_indexes i ON i.repository_id = r.id AND i.generation_id = g.id`,
  );
  const rows = await cluster.postgres.query<ManifestRow>('SELECT * FROM repository_files');
  const manifest = groupBy(rows, ({ repository_id }) => repository_id);
  const points = groupBy(await readPoints(cluster), ({ repository_id }) => repository_id);
  for (const repository of repositories) {
    const { id, deleted_at, purged_at, last_synced_commit, index_dirty, last_status } = repository;
    const own = points.get(id) ?? [];
    points.delete(id);
    if (only !== undefined && !only.includes(id)) continue;
    if (deleted_at !== null) {
      if (at === 'head') {
        judge.check(purged_at !== null, () => `${id} was deleted and is not purged`);
        judge.check(own.length === 0, () => `${id} was deleted and still has ${own.length} points`);
      }
      continue;
    }
    // A partial run says that files failed; these keep their former chunks until the next run.
    if (at === 'pointer' && (index_dirty || last_synced_commit === null || last_status === 'partial'))
      continue;
    const branch = cluster.branchOf(repository);
    const tree = await cluster.code.tree(branch, at === 'head' ? branch.name : last_synced_commit!);
    const differences = compare(tree, manifest.get(id) ?? [], own);
    judge.check(
      differences.length === 0,
      () => `${id} (${branch.name}): ${differences.slice(0, 5).join('; ')}`,
    );
  }
  if (only === undefined)
    for (const id of points.keys()) judge.check(false, () => `points of ${id}, which is no repository`);
  return judge.verdict();
}

async function readPoints(cluster: Cluster): Promise<HeldPoint[]> {
  if (cluster.options.mode !== 'standalone') return cluster.standIns.call('points');
  return cluster.postgres.query<HeldPoint>(
    `SELECT id, repository_id, path, blob_sha, file_version, chunk_index, fence::int AS fence,
        payload ->> 'content_hash' AS content_hash,
        encode(sha256(convert_to(payload ->> 'text', 'UTF8')), 'hex') AS text_hash FROM vector_points`,
  );
}

/** Describes how tree, manifest and points differ. */
function compare(
  tree: ReadonlyMap<string, string>,
  manifest: readonly ManifestRow[],
  points: readonly HeldPoint[],
): string[] {
  const differences: string[] = [];
  const rows = new Map(manifest.map((row) => [row.path, row]));
  const pointsOf = groupBy(points, ({ path }) => path);
  for (const [path, sha] of tree) {
    const row = rows.get(path);
    const own = pointsOf.get(path) ?? [];
    if (row?.blob_sha !== sha) differences.push(`${path} is listed as ${row?.blob_sha}, not ${sha}`);
    else if (row.last_error !== null) differences.push(`${path} failed: ${row.last_error}`);
    else if (!isWhole(row, own))
      differences.push(`${path} should have ${row.chunk_count} points: ${tell(own)}`);
  }
  for (const path of rows.keys())
    if (!tree.has(path)) differences.push(`${path} is listed and left the tree`);
  for (const [path, own] of pointsOf)
    if (!tree.has(path)) differences.push(`${path} left the tree: ${tell(own)}`);
  return differences;
}

function isWhole({ blob_sha, chunk_count }: ManifestRow, points: readonly HeldPoint[]): boolean {
  const indexes = points.map(({ chunk_index }) => chunk_index).sort((one, other) => one - other);
  return (
    indexes.length === chunk_count &&
    indexes.every((index, position) => index === position) &&
    points.every((point) => point.blob_sha === blob_sha && point.content_hash === point.text_hash)
  );
}

function tell(points: readonly HeldPoint[]): string {
  const each = points.map(
    ({ blob_sha, chunk_index, fence }) => `${blob_sha.slice(0, 7)}#${chunk_index}@${fence}`,
  );
  return each.join(' ') || 'none';
}

import { z } from 'zod';
import { DRIFT_CAUSES, SAMPLE_PATHS } from '@core/domain';
import { commit, count, flag, formerCommit, list, namedOneOf, oneOf, shown } from '../http/fields.js';
import { model } from '../http/model.js';
import { RuleWarningDto } from '../repositories/repository.schema.js';

const PathSampleDto = model('PathSampleDto', {
  files: count('How many.', 2),
  first_paths: list(shown('A path.', 'README.md'), 'The first of them.', {
    max: SAMPLE_PATHS,
    example: ['README.md', 'src/main.ts'],
  }),
});
const sample = (description: string) => PathSampleDto.describe(description);

const certainty = (field: string) =>
  namedOneOf('Certainty', ['exact', 'estimated'], `How certain \`${field}\` is.`);

const DryRunCertaintyDto = model('DryRunCertaintyDto', {
  fetch_requests: certainty('fetch_requests'),
  bytes_fetched: certainty('bytes_fetched'),
  chunks_embedded: certainty('chunks_embedded'),
  chunks_deleted: certainty('chunks_deleted'),
  embedding_tokens: certainty('embedding_tokens'),
});

/** The plan of a sync. Numbers without an entry in `certainty` are exact, unless they depend on the content of files. */
const DryRunReportDto = model('DryRunReportDto', {
  kind: oneOf(['dry_run'], 'Kind of the report.'),
  from_commit: formerCommit('The commit that the index is at.').nullable(),
  to_commit: commit('The commit that a sync would reach.'),
  is_in_sync: flag('There is nothing to do.', false),
  fetched: sample('Files whose content would be read.'),
  copied: sample('Files whose content is in the index under another path: nothing is embedded.'),
  deleted: sample('Files that were removed, and former paths of renamed files.'),
  skipped: sample('Files that a rule leaves out by their path; rules on content are not checked.'),
  fetch_way: oneOf(
    ['objects', 'archive', 'graphql', 'blobs'],
    'How most content would be read; null when none is needed.',
  ).nullable(),
  plan_requests: count('Requests to GitLab that made this plan; a sync makes them too.', 4),
  fetch_requests: count('Requests to read the content.', 1),
  bytes_fetched: count('Bytes to read.', 48_213),
  chunks_embedded: count('Chunks to embed, if the embedding cache holds none of their texts.'),
  chunks_copied: count('Chunks that are stored under another path with their existing vector.', 0),
  chunks_deleted: count('Chunks that leave the index, former versions included.', 0),
  embedding_tokens: count('Tokens to embed, at 3 characters a token.', 25_000),
  certainty: DryRunCertaintyDto.describe('Which of the numbers are estimates.'),
  estimated_from: shown(
    'How the estimates were made.',
    '3 content(s) as large as their file was before, 1 of 2310 bytes, the average of the manifest; 3 characters a token; no text found in the embedding cache',
  ),
  warnings: list(RuleWarningDto, 'What has no effect in the rule files of the tree.'),
});

const IndexCheckDto = model('IndexCheckDto', {
  files_missing: sample('Files of the tree that are not in the manifest.'),
  files_stale: sample('Files whose content or mode differs in the manifest.'),
  files_extra: sample('Files of the manifest that are not in the tree.'),
  files_failed: sample('Files that failed in the last sync.'),
  points_missing: count('Points that the index lacks.', 0),
  points_stale: count('Points of a path or version that is not in the manifest.', 0),
  points_doubled: count('Second points of a chunk.', 0),
  points_changed: count('Points whose text changed after it was stored.', 0),
  points_without_terms: count(
    'Points that a search by words does not find, because their terms were lost.',
    0,
  ),
  points_in: sample('The files of these points, without those that only lack terms.'),
  commit: shown('The commit compared with; null before the first completed sync.', '8f2c1e0d').nullable(),
  is_equal: flag('The index is exactly the tree at that commit.', true),
  files_checked: count('Rows of the manifest compared with the tree.'),
  points_checked: count('Points compared with the manifest.', 57),
});

/** The differences between the index and the tree at its commit. */
const VerifyReportDto = model('VerifyReportDto', {
  ...IndexCheckDto.shape,
  kind: oneOf(['verify'], 'Kind of the report.'),
  after_repair: IndexCheckDto.describe(
    'What a second comparison found after the repair; null when nothing was repaired.',
  ).nullable(),
});

/** What a sync found changed in the vector store since the last run, and repaired. */
const DriftReportDto = model('DriftReportDto', {
  kind: oneOf(['drift'], 'Kind of the report.'),
  cause: namedOneOf(
    'DriftCause',
    DRIFT_CAUSES,
    '`collection_lost`: the collection was missing, or dropped and created again. `points_differ`: points were lost or added. `store_behind`: the newest points are missing, as after restoring a snapshot. `database_behind`: the store has points of a run that Postgres does not know, as after restoring a backup.',
  ),
  points_expected: count('Points that the manifest said were there.', 30),
  points_found: count('Points that were there.', 0),
  points_missing: count('Points that were missing and are stored again.', 30),
  points_stale: count('Points of a path or version that is not in the manifest; removed.', 0),
  points_doubled: count('Second points of a chunk; removed.', 0),
  points_in: sample('The files of all these points.'),
  stray_repositories: count(
    'Repositories that Postgres does not know, whose points were removed from the collection.',
    0,
  ),
  stray_points: count('The points of those repositories.', 0),
  stray_collections: count(
    'Removed collections of this installation that Postgres does not know, as after an older backup was restored.',
    0,
  ),
});

/** The `report` of an execution. */
export const RunReportDto = z.discriminatedUnion('kind', [DryRunReportDto, VerifyReportDto, DriftReportDto]);

import { type DryRunReport, type PathSample } from '@core/domain';
import { formatBytes } from './execution-summary.js';

const SHOWN_PATHS = 5;

/** A few lines about a plan, for people; `~` marks estimates. */
export function describePlan(plan: DryRunReport): string {
  if (plan.is_in_sync) {
    return `nothing to do, the index equals ${plan.to_commit.slice(0, 12)} (${plan.plan_requests} request(s) asked)`;
  }
  const mark = (name: keyof DryRunReport['certainty']): string =>
    plan.certainty[name] === 'estimated' ? '~' : '';
  const cost = plan.embedding_cost === null ? '' : `, cost ${mark('embedding_tokens')}${plan.embedding_cost}`;
  const way = plan.fetch_way === null ? 'no content to read' : `content by ${plan.fetch_way}`;
  return [
    `a sync would bring the index from ${plan.from_commit?.slice(0, 12) ?? 'nothing'} to ${plan.to_commit.slice(0, 12)}`,
    `  read and embed  ${filesOf(plan.fetched)}`,
    `  copy            ${filesOf(plan.copied)}`,
    `  delete          ${filesOf(plan.deleted)}`,
    `  leave out       ${filesOf(plan.skipped)}`,
    `  GitLab          ${plan.plan_requests} request(s) to plan, ${mark('fetch_requests')}${plan.fetch_requests} for ${mark('bytes_fetched')}${formatBytes(plan.bytes_fetched)}; ${way}`,
    `  chunks          ${mark('chunks_embedded')}${plan.chunks_embedded} to embed, ${plan.chunks_copied} copied, ${mark('chunks_deleted')}${plan.chunks_deleted} deleted`,
    `  embedding       ${mark('embedding_tokens')}${plan.embedding_tokens} tokens${cost}, less what the embedding cache knows`,
    `  ~ estimated from ${plan.estimated_from}`,
  ].join('\n');
}

function filesOf({ files, first_paths: paths }: PathSample): string {
  if (files === 0) return '0 files';
  const shown = paths.slice(0, SHOWN_PATHS).join(', ');
  return `${files} file(s): ${shown}${files > SHOWN_PATHS ? ', ...' : ''}`;
}

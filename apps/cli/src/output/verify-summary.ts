import { type IndexCheck } from '@core/domain';
import { describeDifferences } from '@core/indexing';
import { type Schemas } from '../service/client.js';

/** A repository with its execution, or with the error that prevented it. */
export interface Verified {
  name: string;
  outcome: Schemas['ExecutionDto'] | Error;
}

export function printVerified({ name, outcome }: Verified): void {
  if (outcome instanceof Error) process.stderr.write(`${name}: not verified: ${outcome.message}\n`);
  else process.stdout.write(`${name}: ${describeVerify(outcome)}\n`);
}

/** One or two lines about a verify or repair, for people. */
function describeVerify(execution: Schemas['ExecutionDto']): string {
  const { status, error_code: code, error_message: message } = execution;
  const report = execution.report;
  if (report?.kind !== 'verify') return `${status}: ${code ?? ''} ${message ?? ''}`.trimEnd();
  if (report.is_equal) return `equal to the tree at ${atOf(report)}`;
  const found = `different from the tree at ${atOf(report)}: ${describeDifferences(report)}${pathsOf(report)}`;
  const after = report.after_repair;
  if (after === null) return found;
  return after.is_equal
    ? `${found}\n  repaired: equal to the tree at ${atOf(after)}`
    : `${found}\n  not repaired: ${describeDifferences(after)}`;
}

function atOf({ commit, files_checked: files, points_checked: points }: IndexCheck): string {
  return `${commit?.slice(0, 12) ?? 'no commit yet'} (${files} files, ${points} points)`;
}

function pathsOf(state: IndexCheck): string {
  const { files_missing, files_stale, files_extra, files_failed, points_in } = state;
  const samples = [files_missing, files_stale, files_extra, files_failed, points_in];
  const paths = [...new Set(samples.flatMap(({ first_paths }) => first_paths))].slice(0, 5);
  return paths.length === 0 ? '' : `\n  first in ${paths.join(', ')}`;
}

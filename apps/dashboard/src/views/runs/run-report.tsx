import { type ComponentChildren } from 'preact';
import { type Schemas } from '../../api/schema.js';
import { DataTable } from '../../parts/data-table.js';
import { Commit, RuleWarning, Section, Tiles } from '../../parts/elements.js';
import { formatBytes, formatNumber } from '../../parts/format.js';

type DryRun = Schemas['DryRunReportDto'];

type Report = DryRun | Schemas['VerifyReportDto'] | Schemas['DriftReportDto'];

export function RunReport({ report }: { report: Report }) {
  if (report.kind === 'dry_run') return <Plan plan={report} />;
  if (report.kind === 'drift') return <Drift drift={report} />;
  return (
    <>
      <Check check={report} title="Verification result" />
      {report.after_repair && <Check check={report.after_repair} title="After the repair" />}
    </>
  );
}

function Plan({ plan }: { plan: DryRun }) {
  if (plan.is_in_sync) {
    return (
      <Result title="Dry run result" isGood>
        <strong>No changes.</strong> The index is up to date with <Commit id={plan.to_commit} />, the head of
        the branch.
      </Result>
    );
  }
  /** Marks an estimated number. */
  const number = (name: keyof DryRun['certainty'], value = formatNumber(plan[name])): string =>
    `${plan.certainty[name] === 'estimated' ? '≈ ' : ''}${value}`;
  const tokens = `${number('embedding_tokens')} tokens`;
  const requests = formatNumber(plan.plan_requests + plan.fetch_requests);
  return (
    <Section title={`Dry run: sync to ${plan.to_commit.slice(0, 8)}`}>
      <Tiles
        label="Planned work"
        tiles={[
          ['Files to fetch', plan.fetched.files, number('bytes_fetched', formatBytes(plan.bytes_fetched))],
          ['Chunks to embed', number('chunks_embedded'), tokens],
          ['Chunks to delete', number('chunks_deleted'), `${formatNumber(plan.chunks_copied)} copied`],
          [
            'Source requests',
            number('fetch_requests', requests),
            `${formatNumber(plan.plan_requests)} for planning`,
          ],
        ]}
      />
      <div class="panel">
        <Paths title="to fetch" sample={plan.fetched} />
        <Paths title="already indexed under another path" sample={plan.copied} />
        <Paths title="to delete" sample={plan.deleted} />
        <Paths title="skipped" sample={plan.skipped} />
        {plan.warnings.map((warning) => (
          <p>
            Warning: <RuleWarning warning={warning} />
          </p>
        ))}
        <p class="faint">{`≈ marks an estimate: ${plan.estimated_from}.`}</p>
      </div>
    </Section>
  );
}

function Check({ check, title }: { check: Schemas['IndexCheckDto']; title: string }) {
  const { commit, is_equal, files_checked, points_checked } = check;
  if (commit === null) {
    return <Result title={title}>No sync has completed yet, so there is no commit to compare with.</Result>;
  }
  return (
    <Result title={title} isGood={is_equal}>
      <strong>The index {is_equal ? 'matches' : 'differs from'}</strong> the files at <Commit id={commit} />.{' '}
      {`Compared ${formatNumber(files_checked)} files and ${formatNumber(points_checked)} points.`}
      {!is_equal && <Differences check={check} />}
    </Result>
  );
}

function Differences({ check }: { check: Schemas['IndexCheckDto'] }) {
  const rows = [
    ['Missing files', check.files_missing.files],
    ['Outdated files', check.files_stale.files],
    ['Extra files', check.files_extra.files],
    ['Files that failed in the last sync', check.files_failed.files],
    ['Missing points', check.points_missing],
    ['Outdated points', check.points_stale],
    ['Duplicate points', check.points_doubled],
    ['Points with changed text', check.points_changed],
    ['Points not found by words', check.points_without_terms],
  ] as const;
  return (
    <>
      <DataTable
        caption="Differences"
        rows={rows.filter(([, count]) => count > 0)}
        keyOf={([name]) => name}
        columns={[
          { title: 'Difference', cell: ([name]) => name },
          { title: 'Count', isNumber: true, cell: ([, count]) => count },
        ]}
      />
      <Paths title="missing" sample={check.files_missing} />
      <Paths title="outdated" sample={check.files_stale} />
      <Paths title="not in the repository" sample={check.files_extra} />
      <Paths title="failed in the last sync" sample={check.files_failed} />
      <Paths title="with different points" sample={check.points_in} />
    </>
  );
}

function Drift({ drift }: { drift: Schemas['DriftReportDto'] }) {
  const { points_expected, points_found, points_missing, points_stale, points_doubled } = drift;
  return (
    <Section title="Repaired in the vector store">
      <Tiles
        label="Repaired points"
        tiles={[
          ['Points found', points_found, `${formatNumber(points_expected)} expected`],
          ['Points restored', points_missing],
          ['Outdated points removed', points_stale],
          ['Duplicate points removed', points_doubled],
          ['Points of unknown repositories removed', drift.stray_points],
          ['Unknown collections removed', drift.stray_collections],
        ]}
      />
      <div class="panel">
        <Paths title="repaired" sample={drift.points_in} />
      </div>
    </Section>
  );
}

interface ResultProps {
  title: string;
  isGood?: boolean;
  children: ComponentChildren;
}

function Result({ title, isGood = false, children }: ResultProps) {
  return (
    <section class={`notice ${isGood ? 'notice-good' : 'notice-bad'}`} aria-label={title}>
      {children}
    </section>
  );
}

function Paths({ title, sample }: { title: string; sample: Schemas['PathSampleDto'] }) {
  const { files, first_paths } = sample;
  if (files === 0) return null;
  return (
    <details class="sample">
      <summary>{`${formatNumber(files)} ${files === 1 ? 'file' : 'files'} ${title}`}</summary>
      <ul class="paths">
        {first_paths.map((path) => (
          <li key={path}>
            <code>{path}</code>
          </li>
        ))}
        {files > first_paths.length && (
          <li class="faint">{`and ${formatNumber(files - first_paths.length)} more`}</li>
        )}
      </ul>
    </details>
  );
}

import { type ComponentChildren } from 'preact';
import { type DryRunReport, type IndexCheck, type PathSample, type RunReport } from '../api/answers.js';
import { DataTable } from '../parts/data-table.js';
import { formatBytes, formatNumber, shortCommit } from '../parts/format.js';
import { Tile } from '../parts/tile.js';

export function RunReportPanel({ report }: { report: RunReport }) {
  if (report.kind === 'dry_run') return <Plan plan={report} />;
  return (
    <>
      <Check check={report} title="What was found" />
      {report.after_repair && <Check check={report.after_repair} title="After the repair" />}
    </>
  );
}

function Plan({ plan }: { plan: DryRunReport }) {
  if (plan.is_in_sync) {
    return (
      <Verdict title="What a sync would do" isGood>
        <strong>Nothing.</strong> The index stands at <Commit of={plan.to_commit} />, the head of its branch.
      </Verdict>
    );
  }
  const { certainty } = plan;
  const about = (name: string): string => (certainty[name] === 'estimated' ? '≈ ' : '');
  const tokens = `${about('embedding_tokens')}${formatNumber(plan.embedding_tokens)} tokens`;
  return (
    <section aria-labelledby="plan-title">
      <h2 id="plan-title">
        What a sync to <Commit of={plan.to_commit} /> would do
      </h2>
      <dl class="tiles" aria-label="The plan in numbers">
        <Tile
          label="Files to read"
          value={formatNumber(plan.fetched.files)}
          note={`${about('bytes_fetched')}${formatBytes(plan.bytes_fetched)}`}
        />
        <Tile
          label="Chunks to embed"
          value={`${about('chunks_embedded')}${formatNumber(plan.chunks_embedded)}`}
          note={plan.embedding_cost === null ? tokens : `${tokens}, cost ${plan.embedding_cost}`}
        />
        <Tile
          label="Chunks to remove"
          value={`${about('chunks_deleted')}${formatNumber(plan.chunks_deleted)}`}
          note={`${formatNumber(plan.chunks_copied)} copied`}
        />
        <Tile
          label="Requests to the source"
          value={`${about('fetch_requests')}${formatNumber(plan.plan_requests + plan.fetch_requests)}`}
          note={`${formatNumber(plan.plan_requests)} of them for the plan`}
        />
      </dl>
      <div class="panel">
        <Paths title="to read" sample={plan.fetched} />
        <Paths title="known under another path" sample={plan.copied} />
        <Paths title="gone" sample={plan.deleted} />
        <Paths title="left out by a rule" sample={plan.skipped} />
        <p class="faint">{`≈ is an estimate: ${plan.estimated_from}.`}</p>
      </div>
    </section>
  );
}

function Check({ check, title }: { check: IndexCheck; title: string }) {
  if (check.commit === null) {
    return (
      <Verdict title={title}>No sync has come to its end yet, so there is no commit to compare with.</Verdict>
    );
  }
  const compared = `${formatNumber(check.files_checked)} files and ${formatNumber(check.points_checked)} points were compared.`;
  if (check.is_equal) {
    return (
      <Verdict title={title} isGood>
        <strong>The index is equal</strong> to the files at <Commit of={check.commit} />. {compared}
      </Verdict>
    );
  }
  return (
    <Verdict title={title}>
      <strong>The index differs</strong> from the files at <Commit of={check.commit} />. {compared}
      <Differences check={check} />
    </Verdict>
  );
}

function Differences({ check }: { check: IndexCheck }) {
  const rows = [
    ['Files that are missing', check.files_missing.files],
    ['Files of another version', check.files_stale.files],
    ['Files that are too many', check.files_extra.files],
    ['Files that failed in the last sync', check.files_failed.files],
    ['Points that are missing', check.points_missing],
    ['Points of another version', check.points_stale],
    ['Points that are there twice', check.points_doubled],
    ['Points whose text was changed', check.points_changed],
  ] as const;
  return (
    <>
      <DataTable
        caption="Differences"
        rows={rows.filter(([, count]) => count > 0)}
        keyOf={([name]) => name}
        columns={[
          { title: 'What differs', cell: ([name]) => name },
          { title: 'How many', isNumber: true, cell: ([, count]) => formatNumber(count) },
        ]}
      />
      <Paths title="missing" sample={check.files_missing} />
      <Paths title="of another version" sample={check.files_stale} />
      <Paths title="too many" sample={check.files_extra} />
      <Paths title="failed in the last sync" sample={check.files_failed} />
      <Paths title="of these points" sample={check.points_in} />
    </>
  );
}

function Verdict({
  title,
  isGood = false,
  children,
}: {
  title: string;
  isGood?: boolean;
  children: ComponentChildren;
}) {
  return (
    <section class={`notice ${isGood ? 'notice-good' : 'notice-bad'}`} aria-label={title}>
      {children}
    </section>
  );
}

function Paths({ title, sample: { files, first_paths } }: { title: string; sample: PathSample }) {
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

function Commit({ of }: { of: string }) {
  return <code title={of}>{shortCommit(of)}</code>;
}

import { useEffect, useRef } from 'preact/hooks';
import { type Schemas } from '../../api/schema.js';
import { Instant, ProgressBar } from '../../parts/elements.js';
import { formatNumber } from '../../parts/format.js';
import { LoadableList } from '../../parts/loadable.js';
import { StateBadge } from '../../parts/state-badge.js';
import { linkTo } from '../../state/route.js';
import { useSession } from '../../state/session.js';
import { useLoad } from '../../state/use-load.js';
import { useProgress } from '../../state/use-progress.js';
import { type Choice } from './choose.js';

type State = Schemas['RepositoryStateDto'];

const POLL_MS = 2_000;
const MAX_ROWS = 500;
/** Progress bars drawn at once: each polls. */
const MAX_BARS = 10;

/** Starts the first sync of each new repository, and shows how far they are. */
export function FirstSync({ choice }: { choice: Choice }) {
  const { api } = useSession();
  const requested = useRef(new Set<string>());
  const states = useLoad(
    JSON.stringify(choice),
    async (client, signal) => {
      const query = {
        limit: MAX_ROWS,
        sort: 'project_path',
        ...(choice.kind === 'group' && { group: choice.groupPath }),
      } as const;
      const { items } = await client.get('/api/v1/repository-states', { query }, signal);
      const wanted =
        choice.kind === 'group'
          ? items
          : items.filter(({ project_path }) => choice.paths.includes(project_path));
      return { items: wanted, total: wanted.length };
    },
    POLL_MS,
  );
  useEffect(() => {
    for (const { repository_id: id, state } of states.data?.items ?? []) {
      if (state !== 'new' || requested.current.has(id)) continue;
      requested.current.add(id);
      // A run that is queued already is as good.
      api.post('/api/v1/repositories/{id}/sync', { path: { id }, body: {} }).catch(() => undefined);
    }
  }, [api, states.data]);
  const rows = states.data?.items ?? [];
  const synced = rows.filter(({ last_sync_at }) => last_sync_at !== null).length;
  return (
    <>
      {rows.length > 0 && (
        <div class="panel">
          <ProgressBar label="Repositories synced" percent={(synced / rows.length) * 100} />
          <p role="status">
            {synced === rows.length ? (
              <>
                <strong>All {formatNumber(rows.length)} are synced.</strong>{' '}
                <a href={linkTo('search')}>Search them</a>, or <a href={linkTo('')}>see what runs</a>.
              </>
            ) : (
              `${formatNumber(synced)} of ${formatNumber(rows.length)} repositories are synced. You may leave this page.`
            )}
          </p>
        </div>
      )}
      <LoadableList of={states} empty="The projects of the group are being listed…">
        {(items) => (
          <ul class="lines">
            {items.map((state, index) => (
              <Line key={state.repository_id} state={state} hasBar={index < MAX_BARS} />
            ))}
          </ul>
        )}
      </LoadableList>
    </>
  );
}

function Line({ state, hasBar }: { state: State; hasBar: boolean }) {
  const {
    repository_id,
    project_path,
    branch,
    reason,
    remedy,
    last_sync_at,
    live_execution_id,
    live_status,
  } = state;
  return (
    <li>
      <StateBadge state={state.state} />
      <a href={linkTo(`repositories/${repository_id}`)}>{`${project_path} @ ${branch}`}</a>
      {last_sync_at !== null && (
        <span class="faint">
          {`${formatNumber(state.chunk_count)} chunks, `}
          <Instant at={last_sync_at} />
        </span>
      )}
      {live_status === 'running' && live_execution_id && hasBar && (
        <RunBar executionId={live_execution_id} name={project_path} />
      )}
      {last_sync_at === null && live_status === null && reason !== null && (
        <span class="faint">{`${reason} ${remedy ?? ''}`}</span>
      )}
    </li>
  );
}

function RunBar({ executionId, name }: { executionId: string; name: string }) {
  const progress = useProgress(executionId, false, () => undefined);
  return (
    <div class="run-bar">
      <ProgressBar label={`Progress of ${name}`} percent={progress?.progress ?? 0} />
    </div>
  );
}

import { type ClusterState, type List, type Lock, type Pod } from '../api/answers.js';
import { withQuery } from '../api/api.js';
import { ActionButton } from '../parts/action-button.js';
import { DataTable } from '../parts/data-table.js';
import { formatNumber } from '../parts/format.js';
import { Instant } from '../parts/instant.js';
import { Showing } from '../parts/notice.js';
import { Tile } from '../parts/tile.js';
import { linkTo } from '../state/route.js';
import { useAnswer } from '../state/use-load.js';

const POLL_MS = 10_000;

export function Cluster() {
  const cluster = useAnswer<ClusterState>('api/v1/cluster', POLL_MS);
  return (
    <>
      <h1>Locks & pods</h1>
      <Showing of={cluster}>
        {({ mode, leader, queue_depth, pods, version }) => (
          <dl class="tiles" aria-label="The installation">
            <Tile label="Mode" value={mode} note={`version ${version}`} />
            <Tile label="Pods alive" value={formatNumber(pods.filter(({ is_alive }) => is_alive).length)} />
            <Tile label="Leader of the chores" value={leader ?? 'unknown'} />
            <Tile
              label="Runs that wait"
              value={queue_depth === null ? 'unknown' : formatNumber(queue_depth)}
            />
          </dl>
        )}
      </Showing>
      <Locks />
      {cluster.data && <Pods pods={cluster.data.pods} />}
    </>
  );
}

function Pods({ pods }: { pods: readonly Pod[] }) {
  return (
    <section aria-labelledby="pods-title">
      <h2 id="pods-title">Pods</h2>
      {pods.length === 0 ? (
        <p class="faint">No pod has shown itself yet.</p>
      ) : (
        <DataTable caption="Pods" rows={pods} keyOf={({ boot_id }) => boot_id} columns={POD_COLUMNS} />
      )}
    </section>
  );
}

const POD_COLUMNS = [
  {
    title: 'Pod',
    cell: ({ pod_name }: Pod) => <a href={linkTo('history', { pod: pod_name })}>{pod_name}</a>,
  },
  {
    title: 'State',
    cell: ({ is_alive, is_leader }: Pod) => (
      <>
        {is_alive ? 'alive' : <strong class="bad">silent</strong>}
        {is_leader && ', leader'}
      </>
    ),
  },
  { title: 'Roles', cell: ({ roles }: Pod) => roles.join(', ') },
  { title: 'Last seen', cell: ({ seen_at }: Pod) => <Instant at={seen_at} /> },
  { title: 'Started', isExtra: true, cell: ({ started_at }: Pod) => <Instant at={started_at} /> },
  { title: 'Version', isExtra: true, cell: ({ version }: Pod) => version },
];

function Locks() {
  const locks = useAnswer<List<Lock>>('api/v1/locks?limit=100', POLL_MS);
  return (
    <section aria-labelledby="locks-title">
      <h2 id="locks-title">Locks</h2>
      <Showing of={locks}>
        {({ items, total }) =>
          total === 0 ? (
            <p class="faint">No repository is held by a run.</p>
          ) : (
            <>
              <DataTable
                caption="Locks"
                rows={items}
                keyOf={({ repository_id }) => repository_id}
                columns={[
                  {
                    title: 'Repository',
                    cell: (lock: Lock) => <a href={linkTo(`history/${lock.execution_id}`)}>{nameOf(lock)}</a>,
                  },
                  // Its name is also in the question before a release, which must be in reach of a thumb.
                  { title: 'Held by', isExtra: true, cell: ({ pod_name }) => pod_name },
                  { title: 'Since', cell: ({ held_since }) => <Instant at={held_since} absent="unknown" /> },
                  {
                    title: 'Until',
                    isExtra: true,
                    cell: ({ expires_at }) => <Instant at={expires_at} absent="its holder ends" />,
                  },
                  {
                    title: 'Heartbeat',
                    isExtra: true,
                    cell: ({ heartbeat_at }) => <Instant at={heartbeat_at} absent="unknown" />,
                  },
                  {
                    title: 'Release',
                    cell: (lock) => <UnlockButton lock={lock} onDone={locks.reload} />,
                  },
                ]}
              />
              {total > items.length && (
                <p class="faint">{`And ${formatNumber(total - items.length)} more.`}</p>
              )}
            </>
          )
        }
      </Showing>
    </section>
  );
}

function nameOf({ project_path, branch, repository_id }: Lock): string {
  return project_path === null ? repository_id : `${project_path} @ ${branch}`;
}

function UnlockButton({ lock, onDone }: { lock: Lock; onDone: () => void }) {
  const name = nameOf(lock);
  return (
    <ActionButton
      label="Unlock"
      subject={name}
      role="admin"
      question={{
        title: `Take the lock of ${name} from ${lock.pod_name}?`,
        text: 'For emergencies. The run is told to stop, and what it still writes is refused. Cancelling the run is the gentle way, and enough for a pod that lives.',
        needsReason: true,
        isDangerous: true,
      }}
      done="the lock is free."
      act={(api, reason) => api.delete(withQuery(`api/v1/locks/${lock.repository_id}`, { reason }))}
      onDone={onDone}
    />
  );
}

import { type Schemas } from '../api/schema.js';
import { ActionButton } from '../parts/action-button.js';
import { type Column, DataTable } from '../parts/data-table.js';
import { Instant, Section, Tiles } from '../parts/elements.js';
import { Loadable, LoadableTable } from '../parts/loadable.js';
import { linkTo } from '../state/route.js';
import { useApi } from '../state/use-load.js';

type Lock = Schemas['LockDto'];

const POLL_MS = 10_000;

export function Cluster() {
  const cluster = useApi('/api/v1/cluster', {}, POLL_MS);
  return (
    <>
      <h1>Cluster</h1>
      <Loadable of={cluster}>
        {({ mode, leader, queue_depth, pods, version }) => (
          <Tiles
            label="Summary"
            tiles={[
              ['Mode', mode, `version ${version}`],
              ['Live pods', pods.filter(({ is_alive }) => is_alive).length],
              ['Leader', leader ?? 'unknown'],
              ['Queued runs', queue_depth ?? 'unknown'],
            ]}
          />
        )}
      </Loadable>
      <Locks />
      {cluster.data && (
        <Section title="Pods">
          {cluster.data.pods.length === 0 ? (
            <p class="faint">No pod has sent a heartbeat yet.</p>
          ) : (
            <DataTable
              caption="Pods"
              rows={cluster.data.pods}
              keyOf={({ boot_id }) => boot_id}
              columns={POD_COLUMNS}
            />
          )}
        </Section>
      )}
    </>
  );
}

const POD_COLUMNS: readonly Column<Schemas['PodDto']>[] = [
  { title: 'Pod', cell: ({ pod_name }) => <a href={linkTo('history', { pod: pod_name })}>{pod_name}</a> },
  {
    title: 'State',
    cell: ({ is_alive, is_leader }) => (
      <>
        {is_alive ? 'alive' : <strong class="bad">no heartbeat</strong>}
        {is_leader && ', leader'}
      </>
    ),
  },
  { title: 'Roles', cell: ({ roles }) => roles.join(', ') },
  { title: 'Last heartbeat', cell: ({ seen_at }) => <Instant at={seen_at} /> },
  { title: 'Started', isExtra: true, cell: ({ started_at }) => <Instant at={started_at} /> },
  { title: 'Version', isExtra: true, cell: ({ version }) => version },
];

function Locks() {
  const locks = useApi('/api/v1/locks', { query: { limit: 100 } }, POLL_MS);
  const columns: Column<Lock>[] = [
    {
      title: 'Repository',
      cell: (lock) => <a href={linkTo(`history/${lock.execution_id}`)}>{nameOf(lock)}</a>,
    },
    // The confirmation shows the pod too, so that narrow screens can omit it here.
    { title: 'Held by', isExtra: true, cell: ({ pod_name }) => pod_name },
    { title: 'Held since', cell: ({ held_since }) => <Instant at={held_since} absent="unknown" /> },
    {
      title: 'Expires',
      isExtra: true,
      cell: ({ expires_at }) => <Instant at={expires_at} absent="when the run ends" />,
    },
    {
      title: 'Heartbeat',
      isExtra: true,
      cell: ({ heartbeat_at }) => <Instant at={heartbeat_at} absent="unknown" />,
    },
    { title: 'Actions', cell: (lock) => <UnlockButton lock={lock} onDone={locks.reload} /> },
  ];
  return (
    <Section title="Locks">
      <LoadableTable
        of={locks}
        empty="No locks held."
        caption="Locks"
        keyOf={({ repository_id }) => repository_id}
        columns={columns}
      />
    </Section>
  );
}

function nameOf({ project_path, branch, repository_id }: Lock): string {
  return project_path === null ? repository_id : `${project_path} @ ${branch}`;
}

function UnlockButton({ lock, onDone }: { lock: Lock; onDone: () => void }) {
  const path = { repository_id: lock.repository_id };
  const name = nameOf(lock);
  return (
    <ActionButton
      label="Unlock"
      subject={name}
      role="admin"
      confirmation={{
        title: `Release the lock of ${name} held by ${lock.pod_name}?`,
        text: 'For emergencies only. The run is stopped, and its further writes are rejected. If the pod is alive, cancel the run instead.',
        needsReason: true,
        isDangerous: true,
      }}
      done="lock released."
      act={(api, reason) => api.delete('/api/v1/locks/{repository_id}', { path, query: { reason } })}
      onDone={onDone}
    />
  );
}

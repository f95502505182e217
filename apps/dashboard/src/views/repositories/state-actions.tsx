import { type Schemas } from '../../api/schema.js';
import { ActionButton } from '../../parts/action-button.js';

interface StateActionsProps {
  state: Schemas['RepositoryStateDto'];
  onDone: () => void;
}

/** The one action that helps in this state; none while a run is queued or runs. */
export function StateActions({ state, onDone }: StateActionsProps) {
  const { repository_id: id, project_path, branch, live_status } = state;
  if (live_status === 'running' || state.state === 'waiting') return null;
  const common = { subject: `${project_path} @ ${branch}`, role: 'operator', onDone } as const;
  const path = { id };
  if (live_status === 'queued') return null;
  if (state.state === 'drifting') {
    return (
      <ActionButton
        {...common}
        label="Repair"
        done="repair queued."
        act={(api) => api.post('/api/v1/repositories/{id}/verify', { path, body: { repair: true } })}
      />
    );
  }
  return (
    <ActionButton
      {...common}
      label={state.state === 'failing' || state.state === 'incomplete' ? 'Retry now' : 'Sync now'}
      done="run queued."
      act={(api) => api.post('/api/v1/repositories/{id}/sync', { path, body: {} })}
    />
  );
}

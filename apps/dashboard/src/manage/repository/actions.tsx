import { type Api } from '../../api/api.js';
import { type Schemas } from '../../api/schema.js';
import { ActionButton } from '../../parts/action-button.js';
import { linkTo } from '../../state/route.js';

interface ActionsProps {
  repositoryId: string;
  name: string;
  /** Undefined until it is known. */
  state: Schemas['RepositoryStateDto'] | undefined;
  onDone: () => void;
}

/** Everything that can be started for a repository. Read-only runs open the page where their report appears. */
export function Actions({ repositoryId: id, name, state, onDone }: ActionsProps) {
  const common = { subject: name, role: 'operator', done: 'run queued.', onDone } as const;
  const path = { id };
  const sync = (body: Schemas['SyncRequestDto']) => (api: Api) =>
    api.post('/api/v1/repositories/{id}/sync', { path, body });
  const verify = (repair: boolean) => (api: Api) =>
    api.post('/api/v1/repositories/{id}/verify', { path, body: { repair } });
  return (
    <div class="row">
      <ActionButton {...common} label="Sync" act={sync({})} />
      <ActionButton
        {...common}
        label="Full sync"
        confirmation={{
          title: `Run a full sync of ${name}?`,
          text: 'All files are read, chunked and stored again. Known embeddings are reused. Search keeps working meanwhile.',
        }}
        act={sync({ full: true })}
      />
      <ActionButton
        {...common}
        label="Dry run"
        act={async (api) => showRun(await sync({ dry_run: true })(api))}
      />
      <ActionButton {...common} label="Verify" act={async (api) => showRun(await verify(false)(api))} />
      <ActionButton
        {...common}
        label="Repair"
        confirmation={{
          title: `Verify and repair the index of ${name}?`,
          text: 'Every file and point is compared with the tree; what differs is embedded and stored again.',
        }}
        act={async (api) => showRun(await verify(true)(api))}
      />
      {state?.live_execution_id && (
        <a href={linkTo(`history/${state.live_execution_id}`)}>{`${state.live_status} run`}</a>
      )}
      <a href={linkTo('history', { repository: id })} aria-label={`History of ${name}`}>
        History
      </a>
    </div>
  );
}

function showRun({ execution_id }: Schemas['SyncStartedDto']): void {
  location.hash = linkTo(`history/${execution_id}`);
}

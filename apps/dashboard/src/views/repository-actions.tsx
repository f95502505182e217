import { useId, useState } from 'preact/hooks';
import { type Api } from '../api/api.js';
import { ActionButton } from '../parts/action-button.js';
import { linkTo } from '../state/route.js';
import { useSession } from '../state/session.js';

interface RepositoryActionsProps {
  repositoryId: string;
  name: string;
  onChange: () => void;
}

/** The two syncs at hand; what only looks is one step further, with a word on what it does. */
export function RepositoryActions({ repositoryId, name, onChange }: RepositoryActionsProps) {
  const [isOpen, setIsOpen] = useState(false);
  const choicesId = useId();
  const canAsk = useSession().can('operator');
  const path = `api/v1/repositories/${repositoryId}`;
  const asked = { subject: name, role: 'operator', done: 'a run is queued.', onDone: onChange } as const;
  return (
    <div class="foot">
      <div class="row">
        <ActionButton {...asked} label="Sync" act={(api) => api.post(`${path}/sync`)} />
        <ActionButton
          {...asked}
          label="Full sync"
          question={{
            title: `Build ${name} again?`,
            text: 'Everything is read, cut and stored again. Vectors that are known are reused. Search goes on meanwhile.',
          }}
          act={(api) => api.post(`${path}/sync`, { full: true })}
        />
        {canAsk && (
          <button
            type="button"
            aria-label={`More: ${name}`}
            aria-expanded={isOpen}
            aria-controls={choicesId}
            onClick={() => setIsOpen(!isOpen)}
          >
            More
          </button>
        )}
        <a href={linkTo('history', { repository: repositoryId })} aria-label={`History of ${name}`}>
          History
        </a>
      </div>
      <dl id={choicesId} class="choices" hidden={!isOpen || !canAsk}>
        <dt>
          <ActionButton
            {...asked}
            label="Dry run"
            act={(api) => startAndShow(api, `${path}/sync`, { dry_run: true })}
          />
        </dt>
        <dd>Says what a sync would do, and changes nothing.</dd>
        <dt>
          <ActionButton {...asked} label="Verify" act={(api) => startAndShow(api, `${path}/verify`)} />
        </dt>
        <dd>Compares the index with the files at its commit.</dd>
      </dl>
    </div>
  );
}

/** Its report is all that comes of it, so that is where one wants to be. */
async function startAndShow(api: Api, path: string, body?: object): Promise<void> {
  const { execution_id } = await api.post<{ execution_id: string }>(path, body);
  location.hash = linkTo(`history/${execution_id}`);
}

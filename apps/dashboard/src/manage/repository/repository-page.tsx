import { type Schemas } from '../../api/schema.js';
import { Commit, Facts, Instant, RuleWarning, Section } from '../../parts/elements.js';
import { formatBytes, formatNumber } from '../../parts/format.js';
import { Empty, Loadable } from '../../parts/loadable.js';
import { StateBadge } from '../../parts/state-badge.js';
import { linkTo, useTitle } from '../../state/route.js';
import { useApi } from '../../state/use-load.js';
import { DeclaredMark, useDeclarations } from '../forms/declared.js';
import { Actions } from './actions.js';
import { Files } from './files.js';
import { Schedules } from './schedules.js';
import { Settings } from './settings.js';
import { stateSentence } from './state-sentence.js';
import { Timeline } from './timeline.js';

type Repository = Schemas['RepositoryDto'];
type State = Schemas['RepositoryStateDto'];

const POLL_MS = 5_000;
const TABS = { '': 'Overview', files: 'Files', schedules: 'Schedules', settings: 'Settings' } as const;

interface RepositoryPageProps {
  repositoryId: string;
  tab: string;
  query: Record<string, string>;
}

export function RepositoryPage({ repositoryId, tab, query }: RepositoryPageProps) {
  const repository = useApi('/api/v1/repositories/{id}', { path: { id: repositoryId } }, POLL_MS);
  const states = useApi('/api/v1/repository-states', { query: { id: [repositoryId] } }, POLL_MS);
  const state = states.data?.items[0];
  const declaration = useDeclarations({ resource_id: repositoryId }).get(repositoryId);
  const name = repository.data ? `${repository.data.project_path} @ ${repository.data.branch}` : '';
  useTitle(name === '' ? 'Repository' : `${state?.state ?? ''}: ${name}`.replace(/^: /, ''));
  const reload = (): void => {
    repository.reload();
    states.reload();
  };
  return (
    <>
      <p>
        <a href={linkTo('repositories')}>← Repositories</a>
      </p>
      <Loadable of={repository}>
        {(row) => (
          <>
            <h1>
              {row.project_path} <span class="faint">@ {row.branch}</span>{' '}
              <DeclaredMark of={state && <StateBadge state={state.state} />} declaration={declaration} />
            </h1>
            {state && <p class="sentence">{stateSentence(state)}</p>}
            <Actions repositoryId={repositoryId} name={name} state={state} onDone={reload} />
            <nav class="tabs" aria-label="Parts of the repository">
              {Object.entries(TABS).map(([path, title]) => (
                <a
                  key={path}
                  href={linkTo(`repositories/${repositoryId}${path && `/${path}`}`)}
                  aria-current={tab === path ? 'page' : undefined}
                >
                  {title}
                </a>
              ))}
            </nav>
            {tab === '' && <Overview repository={row} state={state} />}
            {tab === 'files' && <Files repositoryId={repositoryId} query={query} />}
            {tab === 'schedules' && <Schedules repositoryId={repositoryId} name={name} />}
            {tab === 'settings' && <Settings repository={row} name={name} onDone={reload} />}
            {!(tab in TABS) && <Empty title="There is no such part of a repository." />}
          </>
        )}
      </Loadable>
    </>
  );
}

function Overview({ repository, state }: { repository: Repository; state: State | undefined }) {
  const { id, base_url, collection_name, last_synced_commit, last_sync_at, warnings, discovery_id } =
    repository;
  return (
    <>
      <Timeline repositoryId={id} />
      <Section title="Index">
        <Facts
          class="panel in-two"
          facts={[
            ['Last synced', <Instant at={last_sync_at} isExact />],
            ['Commit', <Commit id={last_synced_commit} />],
            ...(state ? factsOf(id, state) : []),
            ['Collection', <a href={linkTo('index')}>{collection_name}</a>],
            ['Code host', base_url],
            ['Registered', discovery_id === null ? 'by hand' : 'by a discovery'],
            ['Last verified', <Verified repository={repository} />],
          ]}
        />
      </Section>
      {warnings.length > 0 && (
        <Section title="Rules without effect">
          <ul>
            {warnings.map((warning) => (
              <li key={`${warning.path} ${warning.line}`}>
                <RuleWarning warning={warning} />
              </li>
            ))}
          </ul>
        </Section>
      )}
    </>
  );
}

function factsOf(
  id: string,
  { indexed_file_count, file_count, size_bytes, chunk_count, next_run_at }: State,
) {
  const skipped = file_count - indexed_file_count;
  return [
    [
      'Files',
      <>
        {`${formatNumber(indexed_file_count)} indexed, ${formatBytes(size_bytes)}`}
        {skipped > 0 && (
          <a href={linkTo(`repositories/${id}/files`, { status: 'skipped' })}>
            {`${formatNumber(skipped)} not indexed: why?`}
          </a>
        )}
      </>,
    ],
    ['Chunks', formatNumber(chunk_count)],
    ['Next run', <Instant at={next_run_at} absent="none planned" />],
  ] as const;
}

function Verified({ repository: { last_verified_at, last_drift } }: { repository: Repository }) {
  return (
    <>
      <Instant at={last_verified_at} />
      {last_drift !== null && (
        <span class="bad">{`${last_drift.files} files and ${last_drift.points} points differed`}</span>
      )}
    </>
  );
}

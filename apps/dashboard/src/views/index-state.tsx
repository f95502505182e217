import { type Schemas } from '../api/schema.js';
import { Facts, Instant, ProgressBar, Section } from '../parts/elements.js';
import { formatNumber } from '../parts/format.js';
import { Empty, LoadableList } from '../parts/loadable.js';
import { useApi } from '../state/use-load.js';
import { Discoveries } from './discoveries.js';

const POLL_MS = 10_000;

export function IndexState() {
  const collections = useApi('/api/v1/collections', {}, POLL_MS);
  return (
    <>
      <h1>Index</h1>
      <Section title="Collections">
        <LoadableList
          of={collections}
          empty={<Empty title="No collections yet.">The first sync of a repository creates one.</Empty>}
        >
          {(items) => (
            <ul class="cards">
              {items.map((collection) => (
                <CollectionCard key={collection.name} collection={collection} />
              ))}
            </ul>
          )}
        </LoadableList>
      </Section>
      <Discoveries />
    </>
  );
}

function CollectionCard({ collection }: { collection: Schemas['CollectionDto'] }) {
  const { name, active, building, retired } = collection;
  return (
    <li class="panel">
      <h3>{name}</h3>
      <Facts
        facts={[
          [
            'Active model',
            active ? (
              <>
                <code>{active.model_id}</code>
                <span>
                  activated <Instant at={active.activated_at} absent="at the first sync" />
                </span>
              </>
            ) : (
              <span class="faint">none yet</span>
            ),
          ],
          ...(active?.chunk_size
            ? [['Chunk size', `${formatNumber(active.chunk_size)} characters`] as const]
            : []),
          ...retired.map(retiredFact),
        ]}
      />
      {building && <Rebuild name={name} building={building} />}
    </li>
  );
}

function retiredFact({ model_id, drop_at }: Schemas['RetiredDto']) {
  const isDue = Date.parse(drop_at) < Date.now();
  return [
    'Previous model',
    <>
      <code>{model_id}</code>
      {isDue ? (
        <span>to be deleted soon</span>
      ) : (
        <span>
          kept, to be deleted <Instant at={drop_at} />
        </span>
      )}
    </>,
  ] as const;
}

function Rebuild({ name, building }: { name: string; building: Schemas['BuildingDto'] }) {
  const { model_id, repositories_done, repositories_total, files_failed } = building;
  const percent = repositories_total === 0 ? 0 : (repositories_done / repositories_total) * 100;
  return (
    <div class="foot">
      <p>
        Rebuilding for <code>{model_id}</code>
      </p>
      <ProgressBar label={`Rebuild of ${name}`} percent={percent} />
      <p class="faint">
        {`${formatNumber(repositories_done)} of ${formatNumber(repositories_total)} repositories rebuilt. Search switches to the new model when all are rebuilt.`}
      </p>
      {files_failed > 0 && (
        <p class="bad">{`${formatNumber(files_failed)} failed files block the switch.`}</p>
      )}
    </div>
  );
}

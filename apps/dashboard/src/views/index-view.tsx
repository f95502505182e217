import { type Collection, type List } from '../api/answers.js';
import { formatNumber } from '../parts/format.js';
import { Instant } from '../parts/instant.js';
import { Empty, Showing } from '../parts/notice.js';
import { ProgressBar } from '../parts/progress-bar.js';
import { useAnswer } from '../state/use-load.js';
import { Discoveries } from './discoveries.js';

const POLL_MS = 10_000;

export function Index() {
  const collections = useAnswer<List<Collection>>('api/v1/collections', POLL_MS);
  return (
    <>
      <h1>Index</h1>
      <section aria-labelledby="collections-title">
        <h2 id="collections-title">Collections</h2>
        <Showing of={collections}>
          {({ items }) =>
            items.length === 0 ? (
              <Empty title="There is no collection yet.">
                <p>The first sync of a repository makes one.</p>
              </Empty>
            ) : (
              <ul class="cards">
                {items.map((collection) => (
                  <CollectionCard key={collection.name} collection={collection} />
                ))}
              </ul>
            )
          }
        </Showing>
      </section>
      <Discoveries />
    </>
  );
}

function CollectionCard({ collection: { name, active, building, retired } }: { collection: Collection }) {
  return (
    <li class="panel">
      <h3>{name}</h3>
      <dl class="facts">
        <dt>Searches use</dt>
        <dd>
          {active ? <code>{active.model_id}</code> : <span class="faint">nothing yet</span>}
          {active && (
            <span>
              activated <Instant at={active.activated_at} absent="at its first sync" />
            </span>
          )}
        </dd>
        {retired.map(({ id, model_id, drop_at }) => (
          <RetiredFacts key={id} model={model_id} dropAt={drop_at} />
        ))}
      </dl>
      {building && <Rebuild name={name} building={building} />}
    </li>
  );
}

function RetiredFacts({ model, dropAt }: { model: string; dropAt: string }) {
  const isDue = Date.parse(dropAt) < Date.now();
  return (
    <>
      <dt>Before that</dt>
      <dd>
        <code>{model}</code>
        {isDue ? (
          <span>kept no longer, dropped soon</span>
        ) : (
          <span>
            kept, to be dropped <Instant at={dropAt} />
          </span>
        )}
      </dd>
    </>
  );
}

function Rebuild({ name, building }: { name: string; building: NonNullable<Collection['building']> }) {
  const { model_id, repositories_done, repositories_total, files_failed } = building;
  const percent = repositories_total === 0 ? 0 : (repositories_done / repositories_total) * 100;
  return (
    <div class="foot">
      <p>
        Being rebuilt for <code>{model_id}</code>
      </p>
      <ProgressBar label={`Rebuild of ${name}`} percent={percent} />
      <p class="faint">
        {`${formatNumber(repositories_done)} of ${formatNumber(repositories_total)} repositories are done. Searches change over with the last one.`}
      </p>
      {files_failed > 0 && (
        <p class="bad">{`${formatNumber(files_failed)} files failed and hold up the switch.`}</p>
      )}
    </div>
  );
}

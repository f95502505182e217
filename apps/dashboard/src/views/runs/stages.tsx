import { type Schemas } from '../../api/schema.js';
import { formatNumber } from '../../parts/format.js';

type Count = Schemas['StageCountDto'];

const SYMBOLS = { waiting: '○', active: '◉', done: '✓' } as const;

/** What each stage of a run has done; several are active at the same time. */
export function Stages({ stages }: { stages: readonly Count[] }) {
  if (stages.length === 0) return null;
  return (
    <ol class="stages" aria-label="Stages">
      {stages.map(({ stage, state, done, total, unit }) => (
        <li key={stage} class={`is-${state}`}>
          <span>
            <span aria-hidden="true">{SYMBOLS[state]}</span> {stage}
            <span class="hidden">, {state}</span>
          </span>
          {unit !== 'steps' && (
            <span class="faint">
              {total === null ? formatNumber(done) : `${formatNumber(done)} of ${formatNumber(total)}`} {unit}
            </span>
          )}
        </li>
      ))}
    </ol>
  );
}

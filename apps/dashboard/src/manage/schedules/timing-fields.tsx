import { useState } from 'preact/hooks';
import { type ApiFailure } from '../../api/api.js';
import { Instant } from '../../parts/elements.js';
import { readersZone } from '../../parts/format.js';
import { TextField } from '../../parts/forms.js';
import { useApi, useSettled, type Loaded } from '../../state/use-load.js';
import { describeCron } from './describe-cron.js';
import { DAYS, expressionOf, type Preset, PRESETS, type Timing, timingOf } from './presets.js';

interface TimingFieldsProps {
  expression: string;
  timezone: string;
  /** The repository that `H` is derived from. */
  repositoryId?: string;
}

/** Fields `cron_expression` and `timezone`: presets, or an expression with its meaning and its next ticks. */
export function TimingFields({ expression, timezone, repositoryId }: TimingFieldsProps) {
  const [timing, setTiming] = useState(() => timingOf(expression));
  const [zone, setZone] = useState(timezone);
  const set = (changes: Partial<Timing>) => setTiming({ ...timing, ...changes });
  const current = expressionOf(timing);
  return (
    <fieldset class="timing">
      <legend>When</legend>
      <div class="row">
        <label class="field">
          Repeat
          <select
            value={timing.preset}
            onChange={(event) => set({ preset: event.currentTarget.value as Preset, expression: current })}
          >
            {PRESETS.map(([preset, text]) => (
              <option key={preset} value={preset} selected={preset === timing.preset}>
                {text}
              </option>
            ))}
          </select>
        </label>
        {timing.preset === 'weekly' && (
          <label class="field">
            Day
            <select onChange={(event) => set({ day: event.currentTarget.value })}>
              {DAYS.map((name, day) => (
                <option key={name} value={day} selected={String(day) === timing.day}>
                  {name}
                </option>
              ))}
            </select>
          </label>
        )}
        {(timing.preset === 'daily' || timing.preset === 'weekly') && (
          <TextField
            label="Time"
            type="time"
            required
            value={timing.time}
            onInput={(event) => set({ time: event.currentTarget.value })}
          />
        )}
        {timing.preset === 'custom' && (
          <TextField
            label="Cron expression"
            name="cron_expression"
            required
            spellcheck={false}
            placeholder="minute hour day month weekday"
            value={timing.expression}
            onInput={(event) => set({ expression: event.currentTarget.value })}
          />
        )}
        <TextField
          label="Time zone"
          name="timezone"
          required
          list="zones"
          value={zone}
          onInput={(event) => setZone(event.currentTarget.value)}
        />
        <datalist id="zones">
          {['UTC', readersZone()].map((name) => (
            <option key={name} value={name} />
          ))}
        </datalist>
      </div>
      {timing.preset !== 'custom' && <input type="hidden" name="cron_expression" value={current} />}
      <Preview expression={current} timezone={zone} repositoryId={repositoryId} />
    </fieldset>
  );
}

function Preview(props: { expression: string; timezone: string; repositoryId: string | undefined }) {
  const [expression, timezone] = [useSettled(props.expression.trim()), useSettled(props.timezone.trim())];
  const isGiven = expression !== '' && timezone !== '';
  const preview: Loaded<{ next_ticks: string[] }> = useApi(isGiven ? '/api/v1/schedule-preview' : null, {
    query: { cron_expression: expression, timezone, repository_id: props.repositoryId },
  });
  const { data, failure } = preview;
  if (!isGiven) return <p class="hint">Five fields: minute, hour, day of month, month, day of week.</p>;
  if (failure)
    return (
      <p class="bad" role="status">
        {faultOf(failure)}
      </p>
    );
  if (data === null) return <p class="hint">…</p>;
  return <Ticks expression={expression} timezone={timezone} ticks={data.next_ticks} />;
}

function faultOf({ cronField, message }: ApiFailure): string {
  return cronField === null ? message : `In ${cronField.replaceAll('_', ' ')}: ${message}`;
}

interface TicksProps {
  expression: string;
  timezone: string;
  /** Soonest first. */
  ticks: readonly string[];
}

/** An expression in plain words, and its next ticks. */
export function Ticks({ expression, timezone, ticks }: TicksProps) {
  const words = describeCron(expression, ticks[0] ? new Date(ticks[0]) : null, timezone);
  return (
    <div role="status">
      <p>
        <strong>{words ?? expression}</strong> <span class="faint">({timezone})</span>
      </p>
      {ticks.length > 0 && (
        <details class="ticks" open>
          <summary>Next ticks, in your time zone</summary>
          <ol>
            {ticks.map((at) => (
              <li key={at}>
                <Instant at={at} isExact />
              </li>
            ))}
          </ol>
        </details>
      )}
    </div>
  );
}

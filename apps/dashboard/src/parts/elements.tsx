import { Fragment, type ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { useElementId } from './element-id.js';
import { type Schemas, type Status } from '../api/schema.js';
import { formatDistance, formatInstant, formatNumber } from './format.js';

const TICK_MS = 10_000;

/** Each status has a symbol, so that its colour is not the only sign. */
const SYMBOLS: Readonly<Record<Status, string>> = {
  queued: '○',
  running: '◉',
  completed: '✓',
  partial: '◐',
  failed: '✕',
  missed: '⚑',
  cancelled: '■',
  skipped: '»',
};
export const STATUSES = Object.keys(SYMBOLS) as Status[];

export function Badge({ status }: { status: Status }) {
  return (
    <span class="badge" style={`--colour: var(--${status})`}>
      <span aria-hidden="true">{SYMBOLS[status]}</span> {status}
    </span>
  );
}

export function Section({ title, children }: { title: string; children: ComponentChildren }) {
  const id = useElementId();
  return (
    <section aria-labelledby={id}>
      <h2 id={id}>{title}</h2>
      {children}
    </section>
  );
}

interface TileLink {
  /** The list that the number counts. */
  href: string;
  /** A colour of style/base.css. */
  colour?: string;
}
export type Tile = readonly [label: string, value: string | number, note?: string, link?: TileLink];

export function Tiles({ label, tiles }: { label: string; tiles: readonly Tile[] }) {
  return (
    <dl class="tiles" aria-label={label}>
      {tiles.map(([name, value, note, link]) => {
        const text = typeof value === 'number' ? formatNumber(value) : value;
        return (
          <div
            key={name}
            class={link?.colour ? 'tile is-coloured' : 'tile'}
            style={link?.colour && `--colour: var(--${link.colour})`}
          >
            <dt>{name}</dt>
            <dd>
              {link ? (
                <a href={link.href} aria-label={`${name}: ${text}`}>
                  {text}
                </a>
              ) : (
                text
              )}
              {note && <small>{note}</small>}
            </dd>
          </div>
        );
      })}
    </dl>
  );
}

interface FactsProps {
  /** Names and values; null entries are omitted. */
  facts: readonly (readonly [ComponentChildren, ComponentChildren] | null)[];
  class?: string;
}

export function Facts({ facts, class: more = '' }: FactsProps) {
  return (
    <dl class={`facts ${more}`}>
      {facts.map(
        (fact, index) =>
          fact && (
            <Fragment key={index}>
              <dt>{fact[0]}</dt>
              <dd>{fact[1]}</dd>
            </Fragment>
          ),
      )}
    </dl>
  );
}

export function ProgressBar({ label, percent }: { label: string; percent: number }) {
  return (
    <div class="progress">
      <progress max={100} value={percent} aria-label={label} />
      <span class="number">{`${Math.round(percent)} %`}</span>
    </div>
  );
}

export function Commit({ id }: { id: string | null }) {
  return <code title={id ?? ''}>{id?.slice(0, 8) ?? '–'}</code>;
}

interface InstantProps {
  at: string | null;
  absent?: string;
  /** Also shows the exact time as text, which needs no hovering. */
  isExact?: boolean;
}

/** An instant as a distance from now, with the exact time on hover and for machines. */
export function Instant({ at, absent = 'never', isExact = false }: InstantProps) {
  const [nowMs, setNowMs] = useState(Date.now());
  useEffect(() => {
    const timer = setInterval(() => setNowMs(Date.now()), TICK_MS);
    return () => clearInterval(timer);
  }, []);
  if (at === null) return <span class="faint">{absent}</span>;
  const distance = formatDistance(at, Math.max(nowMs, Date.now() - TICK_MS));
  const exact = formatInstant(at);
  if (!isExact) {
    return (
      <time dateTime={at} title={exact}>
        {distance}
      </time>
    );
  }
  return (
    <>
      <time dateTime={at}>{exact}</time> <span class="faint">{distance}</span>
    </>
  );
}

/** What has no effect in a rule file. The text is from the repository. */
export function RuleWarning({ warning: { path, line, message } }: { warning: Schemas['RuleWarningDto'] }) {
  return (
    <>
      <code>{path}</code>
      {line !== null && ` line ${line}`}: {message}
    </>
  );
}

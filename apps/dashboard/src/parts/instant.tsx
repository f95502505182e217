import { useEffect, useState } from 'preact/hooks';
import { formatDistance, formatInstant } from './format.js';

const TICK_MS = 10_000;

/** An instant as a distance from now, with the exact time on hover and for machines. */
export function Instant({ at, absent = 'never' }: { at: string | null; absent?: string }) {
  const [nowMs, setNowMs] = useState(Date.now());
  useEffect(() => {
    const timer = setInterval(() => setNowMs(Date.now()), TICK_MS);
    return () => clearInterval(timer);
  }, []);
  if (at === null) return <span class="faint">{absent}</span>;
  return (
    <time dateTime={at} title={formatInstant(at)}>
      {formatDistance(at, Math.max(nowMs, Date.now() - TICK_MS))}
    </time>
  );
}

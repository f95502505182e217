import { useEffect, useState } from 'preact/hooks';
import { formatDistance, formatInstant } from './format.js';

const TICK_MS = 10_000;

interface InstantProps {
  at: string | null;
  absent?: string;
  /** Written out, as nobody hovers with a finger or a keyboard. */
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
  if (isExact) {
    return (
      <>
        <time dateTime={at}>{formatInstant(at)}</time> <span class="faint">{distance}</span>
      </>
    );
  }
  return (
    <time dateTime={at} title={formatInstant(at)}>
      {distance}
    </time>
  );
}

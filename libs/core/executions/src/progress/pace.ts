/** How far an attempt is at a moment. */
export interface Work {
  files: number;
  /** Share of all its work, 0 to 1. */
  share: number;
  atMs: number;
}

/** Before that, one slow request would decide. */
const LEAST_SECONDS = 3;
const LEAST_SHARE = 0.01;

/** Files a second since the work began, and the seconds that are left at this pace; null: too early to tell. */
export function paceOf(begun: Work, now: Work): { filesPerSecond: number | null; etaSeconds: number | null } {
  const seconds = (now.atMs - begun.atMs) / 1000;
  if (seconds < LEAST_SECONDS) return { filesPerSecond: null, etaSeconds: null };
  const done = now.share - begun.share;
  const eta = done < LEAST_SHARE ? null : Math.ceil((seconds * (1 - now.share)) / done);
  return { filesPerSecond: Math.round(((now.files - begun.files) / seconds) * 10) / 10, etaSeconds: eta };
}

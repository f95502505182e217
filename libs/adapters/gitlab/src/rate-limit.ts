import { type IncomingHttpHeaders } from 'node:http';

/** GitLab's windows last a minute; a 429 that names no time is taken to mean the next window. */
const UNTOLD_WINDOW_MS = 60_000;

/** When `Retry-After` (seconds or HTTP date) allows the next request; null when the header is absent or unreadable. */
export function retryAfter(headers: IncomingHttpHeaders, now: Date): Date | null {
  const value = headers['retry-after']?.trim();
  if (value === undefined || value === '') return null;
  if (/^\d{1,9}$/.test(value)) return new Date(now.getTime() + Number(value) * 1000);
  const date = Date.parse(value);
  return Number.isNaN(date) ? null : new Date(Math.max(date, now.getTime()));
}

/** When a 429 allows the next request: `Retry-After`, else `RateLimit-Reset`, else a minute from now. */
export function quotaReturnsAt(headers: IncomingHttpHeaders, now: Date): Date {
  return retryAfter(headers, now) ?? windowReset(headers, now) ?? new Date(now.getTime() + UNTOLD_WINDOW_MS);
}

/**
 * The headers tell of the general limit only. With requests remaining there, another limit (archives, large blobs)
 * has answered, and the reset time is not its own.
 */
function windowReset(headers: IncomingHttpHeaders, now: Date): Date | null {
  const remaining = headers['ratelimit-remaining'];
  if (remaining !== undefined && Number(remaining) > 0) return null;
  const resetSeconds = Number(headers['ratelimit-reset'] ?? Number.NaN);
  const reset = new Date(resetSeconds * 1000);
  return reset.getTime() > now.getTime() ? reset : null;
}

import { type IncomingHttpHeaders } from 'node:http';
import { type RateLimitHeaders } from '@core/domain';

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

export function msUntilQuota(headers: IncomingHttpHeaders, now: Date): number {
  return Math.max(0, quotaReturnsAt(headers, now).getTime() - now.getTime());
}

/** What an answer says about the general limit. The limit is per minute, whatever the window. */
export function toldBy(headers: IncomingHttpHeaders, now: Date): RateLimitHeaders {
  // Of an endpoint with a limit of its own in place of the general one.
  if (/files/.test(String(headers['ratelimit-name'] ?? '')))
    return { limit: null, remaining: null, resetMs: null };
  return {
    limit: numberOf(headers['ratelimit-limit']),
    remaining: numberOf(headers['ratelimit-remaining']),
    resetMs: msUntilReset(headers, now),
  };
}

/** Whether a 429 came from the general limit, which shows in the headers; others (archives, large blobs) do not. */
export function isOfGeneralLimit(headers: IncomingHttpHeaders): boolean {
  return numberOf(headers['ratelimit-remaining']) === 0;
}

/**
 * The headers tell of the general limit only. With requests remaining there, another limit (archives, large blobs)
 * has answered, and the reset time is not its own.
 */
function windowReset(headers: IncomingHttpHeaders, now: Date): Date | null {
  if ((numberOf(headers['ratelimit-remaining']) ?? 0) > 0) return null;
  const resetMs = msUntilReset(headers, now);
  return resetMs === null || resetMs <= 0 ? null : new Date(now.getTime() + resetMs);
}

/** By the server's own clock where it shows it: ours may be another. */
function msUntilReset(headers: IncomingHttpHeaders, now: Date): number | null {
  const resetSeconds = numberOf(headers['ratelimit-reset']);
  if (resetSeconds === null) return null;
  const shown = Date.parse(String(headers['date'] ?? ''));
  return resetSeconds * 1000 - (Number.isNaN(shown) ? now.getTime() : shown);
}

function numberOf(header: string | string[] | undefined): number | null {
  return typeof header === 'string' && /^\d{1,12}$/.test(header.trim()) ? Number(header) : null;
}

import { type IncomingHttpHeaders } from 'node:http';
import { parseRetryAfter, type RateLimitHeaders } from '@core/domain';
import { numberOf } from './response-body.js';

/** GitLab's windows last a minute; a 429 without a time means a retry in the next window. */
const DEFAULT_PAUSE_MS = 60_000;

/** When `Retry-After` (seconds or HTTP date) allows the next request; null when the header is absent or unreadable. */
export function retryAfter(headers: IncomingHttpHeaders, now: Date): Date | null {
  const date = parseRetryAfter(headers['retry-after'], now.getTime());
  return date === null || date > now ? date : now;
}

/** When a 429 allows the next request: `Retry-After`, else `RateLimit-Reset`, else a minute from now. */
export function quotaResetAt(headers: IncomingHttpHeaders, now: Date): Date {
  return retryAfter(headers, now) ?? windowReset(headers, now) ?? new Date(now.getTime() + DEFAULT_PAUSE_MS);
}

export function msUntilQuotaReset(headers: IncomingHttpHeaders, now: Date): number {
  return Math.max(0, quotaResetAt(headers, now).getTime() - now.getTime());
}

/** The general limit according to a response. The limit is per minute for any window. */
export function readRateLimit(headers: IncomingHttpHeaders, now: Date): RateLimitHeaders {
  // The files endpoints have a separate limit, which replaces the general one.
  if (/files/.test(String(headers['ratelimit-name'] ?? '')))
    return { limit: null, remaining: null, resetMs: null };
  return {
    limit: numberOf(headers['ratelimit-limit']),
    remaining: numberOf(headers['ratelimit-remaining']),
    resetMs: msUntilReset(headers, now),
  };
}

/** Whether a 429 came from the general limit. Others (archives, large blobs) do not show in the headers. */
export function isGeneralLimit(headers: IncomingHttpHeaders): boolean {
  return numberOf(headers['ratelimit-remaining']) === 0;
}

/**
 * The headers describe the general limit only. While that has requests remaining, another limit (archives, large
 * blobs) has refused, and the reset time does not belong to it.
 */
function windowReset(headers: IncomingHttpHeaders, now: Date): Date | null {
  if ((numberOf(headers['ratelimit-remaining']) ?? 0) > 0) return null;
  const resetMs = msUntilReset(headers, now);
  return resetMs === null || resetMs <= 0 ? null : new Date(now.getTime() + resetMs);
}

/** Relative to the server's clock if the response has a `Date` header, because our clock may differ. */
function msUntilReset(headers: IncomingHttpHeaders, now: Date): number | null {
  const resetSeconds = numberOf(headers['ratelimit-reset']);
  if (resetSeconds === null) return null;
  const serverTime = Date.parse(String(headers['date'] ?? ''));
  return resetSeconds * 1000 - (Number.isNaN(serverTime) ? now.getTime() : serverTime);
}

import { parseRetryAfter, type RateLimitHeaders } from '@core/domain';

const UNIT_MS: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/**
 * Reads the rate-limit headers of OpenAI and of servers that copy them. Their limit is ignored: it may be per day, and
 * `remaining` with `resetMs` is enough.
 */
export function readRateLimit(headers: Headers): RateLimitHeaders {
  const remaining = headers.get('x-ratelimit-remaining-requests') ?? '';
  return {
    limit: null,
    remaining: /^\d{1,12}$/.test(remaining) ? Number(remaining) : null,
    resetMs: durationMs(headers.get('x-ratelimit-reset-requests') ?? ''),
  };
}

/** `6m0s`, `120ms`, `1h2m3.5s`; null for anything else. */
function durationMs(text: string): number | null {
  if (!/^(\d+(\.\d+)?(ms|[smhd]))+$/.test(text)) return null;
  const parts = [...text.matchAll(/(\d+(?:\.\d+)?)(ms|[smhd])/g)];
  return parts.reduce((sum, [, count, unit]) => sum + Number(count) * UNIT_MS[unit!]!, 0);
}

/** When the server accepts requests again. OpenAI also sends milliseconds. */
export function readRetryAfter(headers: Headers): Date | undefined {
  const milliseconds = headers.get('retry-after-ms') ?? '';
  if (/^\d+(\.\d+)?$/.test(milliseconds)) return new Date(Date.now() + Number(milliseconds));
  return parseRetryAfter(headers.get('retry-after'), Date.now()) ?? undefined;
}

import { type RateLimitHeaders } from '@core/domain';

const UNIT_MS: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/**
 * What OpenAI's headers say, and those of servers that copy them. Their limit is left out: it may be of a day, and what
 * remains and until when says enough.
 */
export function toldBy(headers: Headers): RateLimitHeaders {
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

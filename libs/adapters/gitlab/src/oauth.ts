import { type RefreshedTokens, RepotideError, systemClock, type TokenRefresher } from '@core/domain';
import { Agent, type Dispatcher, request } from 'undici';
import { z } from 'zod';
import { parseBaseUrl } from './base-url.js';
import { dropBody, readBody } from './body.js';
import { withDeadline } from './deadline.js';
import { answerInvalid, failureOfAnswer, failureOfConnection } from './failure.js';
import { type OutgoingHosts } from './outgoing/outgoing-hosts.js';
import { shaped } from './shapes.js';

export interface TokenRefresherOptions {
  /** For the whole exchange. */
  requestTimeoutMs: number;
  userAgent: string;
  /** Which hosts may be asked. Absent: every one. */
  outgoing?: OutgoingHosts;
}

type Grant = Parameters<TokenRefresher['refresh']>[0];

/** Tokens are some hundred bytes. */
const MAX_ANSWER_BYTES = 64 * 1024;

const tokensShape = z.object({
  access_token: z.string().min(1),
  refresh_token: z.string().min(1),
  expires_in: z.number().positive().nullish(),
});

/** GitLab's `POST /oauth/token`. Sent once: whoever repeats it must know that the refresh token may be used up. */
export function createGitLabTokenRefresher(options: TokenRefresherOptions): TokenRefresher {
  const { requestTimeoutMs, outgoing } = options;
  // Without keep-alive: a connection that the server closes while it is reused would leave open what it received.
  const dispatcher = new Agent({
    pipelining: 0,
    connect: { timeout: requestTimeoutMs, lookup: outgoing?.lookup },
  });
  return {
    async refresh(grant, signal) {
      const baseUrl = parseBaseUrl(grant.baseUrl);
      outgoing?.assertUrl(baseUrl);
      try {
        return await withDeadline(signal, requestTimeoutMs, async (limited) => {
          const answer = await send(`${baseUrl}/oauth/token`, grant, {
            ...options,
            dispatcher,
            signal: limited,
          });
          return tokensOf(baseUrl, answer);
        });
      } catch (thrown) {
        throw failureOfConnection({ baseUrl, token: null }, thrown);
      }
    },
  };
}

function send(
  url: string,
  { clientId, clientSecret, refreshToken }: Grant,
  { dispatcher, signal, userAgent }: TokenRefresherOptions & { dispatcher: Dispatcher; signal: AbortSignal },
): Promise<Dispatcher.ResponseData> {
  const form = new URLSearchParams({
    grant_type: 'refresh_token',
    refresh_token: refreshToken,
    client_id: clientId,
    client_secret: clientSecret,
  });
  return request(url, {
    method: 'POST',
    dispatcher,
    signal,
    body: form.toString(),
    headers: {
      accept: 'application/json',
      'content-type': 'application/x-www-form-urlencoded',
      'user-agent': userAgent,
    },
  });
}

async function tokensOf(baseUrl: string, answer: Dispatcher.ResponseData): Promise<RefreshedTokens> {
  const { statusCode: status, headers } = answer;
  const from = { baseUrl, token: null };
  if (status >= 500 || status === 429) {
    dropBody(answer.body);
    throw failureOfAnswer(from, { status, headers, bodyText: '' }, systemClock.now());
  }
  const content = await readBody(answer, MAX_ANSWER_BYTES, () => undefined);
  const json = content.kind === 'bytes' ? parse(content.bytes) : undefined;
  if (status !== 200) throw refusal(baseUrl, status, json);
  if (json === undefined) throw answerInvalid(from, 'expected tokens in JSON');
  const { access_token, refresh_token, expires_in } = shaped(tokensShape, 'tokens', json, from);
  return { accessToken: access_token, refreshToken: refresh_token, expiresInSeconds: expires_in ?? null };
}

/** By RFC 6749's error code alone; descriptions might repeat what was sent. */
function refusal(baseUrl: string, status: number, json: unknown): RepotideError {
  const error = z.object({ error: z.string().regex(/^[a-z_]{1,40}$/) }).safeParse(json).data?.error ?? null;
  const says = `GitLab at ${baseUrl} answered ${status}${error === null ? '' : ` (${error})`}`;
  const details = { status, oauth_error: error };
  if (error === 'invalid_grant') {
    const message = `${says}: the refresh token is used up, expired or revoked.`;
    return new RepotideError('unauthorized', 'oauth_grant_rejected', message, { details });
  }
  if (error === 'invalid_client' || error === 'unauthorized_client' || status === 401) {
    const message = `${says}: it does not know the OAuth application. Correct client_id and client_secret of the credential.`;
    return new RepotideError('unauthorized', 'oauth_client_rejected', message, { details });
  }
  const message = `${says} to the refresh of a token. Check that base_url of the credential names GitLab itself.`;
  return new RepotideError('invalid', 'oauth_request_refused', message, { details });
}

function parse(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(Buffer.from(bytes).toString('utf8')) as unknown;
  } catch {
    return undefined;
  }
}

import { type RefreshedTokens, RepotideError, systemClock, type TokenRefresher } from '@core/domain';
import { type Dispatcher, request } from 'undici';
import { z } from 'zod';
import { parseResponse } from '../http/response-schema.js';
import { withDeadline } from '../http/deadline.js';
import { invalidResponse, failureOfResponse, failureOfConnection } from '../http/failure.js';
import { dropBody, parseJson, readBody } from '../http/response-body.js';
import { parseBaseUrl } from './base-url.js';
import { type HostCertificates, openDispatcher } from './dispatcher.js';
import { type OutgoingHosts } from './outgoing-hosts.js';

export interface TokenRefresherOptions {
  /** For the whole exchange. */
  requestTimeoutMs: number;
  userAgent: string;
  /** Which hosts may be requested. Absent: every one. */
  outgoing?: OutgoingHosts;
  /** The client certificate for one host. Absent: none. */
  certificates?: HostCertificates;
}

/** Tokens have a few hundred bytes. */
const MAX_RESPONSE_BYTES = 64 * 1024;

const tokensSchema = z.object({
  access_token: z.string().min(1),
  refresh_token: z.string().min(1),
  expires_in: z.number().positive().nullish(),
});

/** GitLab's `POST /oauth/token`. Never retried: a lost response may have used up the refresh token. */
export function createGitLabTokenRefresher(options: TokenRefresherOptions): TokenRefresher {
  const { requestTimeoutMs, outgoing, userAgent, certificates } = options;
  // Without keep-alive: if the server closed a reused connection, it would be unknown whether the server received the request.
  const dispatcher = openDispatcher({ pipelining: 0, timeoutMs: requestTimeoutMs, outgoing, certificates });
  return {
    async refresh({ baseUrl: address, clientId, clientSecret, refreshToken }, signal) {
      const baseUrl = parseBaseUrl(address);
      outgoing?.assertUrl(baseUrl);
      const client = { client_id: clientId, client_secret: clientSecret };
      const grant = { grant_type: 'refresh_token', refresh_token: refreshToken };
      const body = new URLSearchParams({ ...grant, ...client }).toString();
      const headers = {
        accept: 'application/json',
        'content-type': 'application/x-www-form-urlencoded',
        'user-agent': userAgent,
      };
      try {
        return await withDeadline(signal, requestTimeoutMs, async (limited) => {
          const call = { method: 'POST', dispatcher, signal: limited, body, headers } as const;
          return tokensOf(baseUrl, await request(`${baseUrl}/oauth/token`, call));
        });
      } catch (thrown) {
        throw failureOfConnection({ baseUrl, token: null }, thrown);
      }
    },
  };
}

async function tokensOf(baseUrl: string, response: Dispatcher.ResponseData): Promise<RefreshedTokens> {
  const { statusCode: status, headers } = response;
  const target = { baseUrl, token: null };
  if (status >= 500 || status === 429) {
    dropBody(response.body);
    throw failureOfResponse(target, { status, headers, bodyText: '' }, systemClock.now());
  }
  const content = await readBody(response, MAX_RESPONSE_BYTES);
  const json = content.kind === 'bytes' ? parseJson(content.bytes) : undefined;
  if (status !== 200) throw refusal(baseUrl, status, json);
  if (json === undefined) throw invalidResponse(target, 'expected tokens in JSON');
  const { access_token, refresh_token, expires_in } = parseResponse(tokensSchema, 'tokens', json, target);
  return { accessToken: access_token, refreshToken: refresh_token, expiresInSeconds: expires_in ?? null };
}

const OAUTH_ERRORS = [
  ...(['invalid_request', 'invalid_client', 'invalid_grant', 'invalid_scope'] as const),
  ...(['unauthorized_client', 'unsupported_grant_type'] as const),
];

/** Uses RFC 6749's error codes alone: any other text of the server is not shown. */
function refusal(baseUrl: string, status: number, json: unknown): RepotideError {
  const error = z.object({ error: z.enum(OAUTH_ERRORS) }).safeParse(json).data?.error ?? null;
  const found = `GitLab at ${baseUrl} answered ${status}${error === null ? '' : ` (${error})`}`;
  const details = { status, oauth_error: error };
  if (error === 'invalid_grant') {
    const message = `${found}: the refresh token is used up, expired or revoked.`;
    return new RepotideError('unauthorized', 'oauth_grant_rejected', message, { details });
  }
  if (error === 'invalid_client' || error === 'unauthorized_client' || status === 401) {
    const message = `${found}: the OAuth application is unknown. Correct client_id and client_secret of the credential.`;
    return new RepotideError('unauthorized', 'oauth_client_rejected', message, { details });
  }
  const message = `${found} to the refresh of a token. Check that base_url of the credential is the address of GitLab.`;
  return new RepotideError('invalid', 'oauth_request_refused', message, { details });
}

import { randomBytes } from 'node:crypto';
import { type Answer, jsonAnswer } from '../http/answer.js';
import { type TokenRegistry, type TokenScope } from './access.js';
import { type GitLabSettings } from './settings.js';

/** The tokens of an application after a user has authorized it. */
export interface StandInGrant {
  clientId: string;
  clientSecret: string;
  accessToken: string;
  refreshToken: string;
  expiresAt: Date;
}

interface Grant extends StandInGrant {
  name: string;
  scopes: readonly TokenScope[];
}

const NO_STORE = { 'cache-control': 'no-store', pragma: 'no-cache' };

/** Messages of Doorkeeper, GitLab's OAuth library. */
const REFUSALS = {
  invalid_client: [
    401,
    'Client authentication failed due to unknown client, no client authentication included, or unsupported authentication method.',
  ],
  invalid_grant: [
    400,
    'The provided authorization grant is invalid, expired, revoked, does not match the redirection URI used in the authorization request, or was issued to another client.',
  ],
  unsupported_grant_type: [400, 'The authorization grant type is not supported by the authorization server.'],
} as const;

/** `POST /oauth/token`: access tokens expire; a refresh token works once and revokes its access token. */
export class OAuthGrants {
  /** Grants by their current refresh token. */
  private readonly grants = new Map<string, Grant>();

  constructor(
    private readonly tokens: TokenRegistry,
    private readonly settings: GitLabSettings,
    private readonly now: () => number,
  ) {}

  /** Authorizes an application, as a user would in the browser. @param name as for an access token. */
  add(name: string, scopes: readonly TokenScope[]): StandInGrant {
    const application = { name, scopes, clientId: secret('app'), clientSecret: secret('gloas') };
    return withoutName(this.issue(application));
  }

  /** Null when the request is for another route. */
  answer(request: { method: string; path: string; headers: object; body: Buffer }): Answer | null {
    if (request.path !== '/oauth/token' || request.method !== 'POST') return null;
    const requested = parametersOf(request.body);
    if (requested.get('grant_type') !== 'refresh_token') return refuse('unsupported_grant_type');
    const isKnownClient = [...this.grants.values()].some(
      ({ clientId, clientSecret }) =>
        clientId === requested.get('client_id') && clientSecret === requested.get('client_secret'),
    );
    if (!isKnownClient) return refuse('invalid_client');
    const grant = this.grants.get(requested.get('refresh_token') ?? '');
    if (grant === undefined || grant.clientId !== requested.get('client_id')) return refuse('invalid_grant');
    return this.renew(grant);
  }

  private renew(grant: Grant): Answer {
    this.grants.delete(grant.refreshToken);
    this.tokens.revoke(grant.accessToken);
    const { accessToken, refreshToken, scopes } = this.issue(grant);
    const answer = {
      access_token: accessToken,
      token_type: 'Bearer',
      expires_in: this.settings.oauth.accessTokenSeconds,
      refresh_token: refreshToken,
      scope: scopes.join(' '),
      created_at: Math.floor(this.now() / 1000),
    };
    return jsonAnswer(200, answer, NO_STORE);
  }

  private issue(application: Pick<Grant, 'name' | 'scopes' | 'clientId' | 'clientSecret'>): Grant {
    const expiresAt = new Date(this.now() + this.settings.oauth.accessTokenSeconds * 1000);
    const grant = { ...application, accessToken: secret('at'), refreshToken: secret('rt'), expiresAt };
    this.grants.set(grant.refreshToken, grant);
    const { name, scopes, accessToken: value } = grant;
    this.tokens.add({ name, value, scopes }, expiresAt.getTime());
    return grant;
  }
}

function withoutName({ clientId, clientSecret, accessToken, refreshToken, expiresAt }: Grant): StandInGrant {
  return { clientId, clientSecret, accessToken, refreshToken, expiresAt };
}

/** Form or JSON: GitLab accepts both. */
function parametersOf(body: Buffer): URLSearchParams {
  const text = body.toString('utf8');
  if (!text.startsWith('{')) return new URLSearchParams(text);
  return new URLSearchParams(JSON.parse(text) as Record<string, string>);
}

function refuse(error: keyof typeof REFUSALS): Answer {
  const [status, description] = REFUSALS[error];
  const words = `Bearer realm="Doorkeeper", error="${error}", error_description="${description}"`;
  const headers = { ...NO_STORE, 'www-authenticate': words };
  return jsonAnswer(status, { error, error_description: description }, headers);
}

function secret(prefix: string): string {
  return `${prefix}-${randomBytes(24).toString('hex')}`;
}

import { createHash, randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { type AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';

interface Pending {
  redirectUri: string;
  challenge: string;
  nonce: string | null;
}

/** An OpenID provider over HTTP with one registered application and one person at a time. */
export interface SignInProvider {
  readonly url: string;
  readonly clientId: string;
  readonly clientSecret: string;
  /** Why requests were refused, oldest first. */
  readonly refusals: readonly string[];
  /** Of the person who signs in next. Those of `userInfo` come only from the user info. */
  person: { claims: Record<string, unknown>; userInfo: Record<string, unknown> };
  /** Makes the next ID token wrong. */
  fault: 'none' | 'nonce' | 'issuer' | 'audience' | 'signature' | 'expired';
  /** The registered redirect address; exactly this one is accepted. */
  redirectUri: string;
  close(): Promise<void>;
}

/**
 * The checks of a strict provider: exact redirect address, PKCE with S256, codes that can be redeemed once, by the application
 * with its secret, and with the verifier of the challenge.
 */
export async function startSignInProvider(): Promise<SignInProvider> {
  const key = await generateKeyPair('RS256', { extractable: true });
  const foreign = await generateKeyPair('RS256');
  const keys = [{ ...(await exportJWK(key.publicKey)), kid: 'k', alg: 'RS256', use: 'sig' }];
  const codes = new Map<string, Pending>();
  const accessTokens = new Map<string, Record<string, unknown>>();
  const refusals: string[] = [];
  const [clientId, clientSecret] = [`app-${randomUUID()}`, `gloas-${randomUUID()}`];
  const person: SignInProvider['person'] = { claims: { sub: '7' }, userInfo: {} };

  const authorize = (query: URLSearchParams, response: ServerResponse): void => {
    const wrong = (
      [
        ['client_id', clientId],
        ['redirect_uri', provider.redirectUri],
        ['response_type', 'code'],
        ['code_challenge_method', 'S256'],
      ] as const
    ).find(([name, expected]) => query.get(name) !== expected);
    if (wrong || !query.get('state') || (query.get('code_challenge') ?? '').length !== 43) {
      refusals.push(`authorize ${wrong?.[0] ?? 'state or challenge'}`);
      return void response.writeHead(400).end('refused');
    }
    const code = randomUUID();
    const { redirectUri } = provider;
    codes.set(code, { redirectUri, challenge: query.get('code_challenge')!, nonce: query.get('nonce') });
    const back = new URL(redirectUri);
    back.searchParams.set('code', code);
    back.searchParams.set('state', query.get('state')!);
    const page = `<!doctype html><title>Provider</title><a href="${back.href.replaceAll('&', '&amp;')}">Continue as ann</a>`;
    response.writeHead(200, { 'Content-Type': 'text/html' }).end(page);
  };

  const redeem = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const form = new URLSearchParams(await text(request));
    const code = form.get('code') ?? '';
    const pending = codes.get(code);
    codes.delete(code);
    const verifier = form.get('code_verifier') ?? '';
    const isProven = createHash('sha256').update(verifier).digest('base64url') === pending?.challenge;
    const isClient = form.get('client_id') === clientId && form.get('client_secret') === clientSecret;
    if (!pending || !isProven || !isClient || form.get('redirect_uri') !== pending.redirectUri) {
      refusals.push(`token ${pending ? (isProven ? 'client' : 'verifier') : 'code'}`);
      return json(response, 400, { error: 'invalid_grant' });
    }
    const accessToken = randomUUID();
    accessTokens.set(accessToken, { ...person.claims, ...person.userInfo });
    const idToken = await signed(pending.nonce);
    json(response, 200, {
      access_token: accessToken,
      token_type: 'Bearer',
      expires_in: 60,
      id_token: idToken,
    });
  };

  const signed = (nonce: string | null): Promise<string> => {
    const { fault } = provider;
    provider.fault = 'none';
    const now = Math.floor(Date.now() / 1000);
    const claims = {
      ...person.claims,
      nonce: fault === 'nonce' ? 'another' : nonce,
      iss: fault === 'issuer' ? 'https://evil.example' : provider.url,
      aud: fault === 'audience' ? 'another' : clientId,
      iat: fault === 'expired' ? now - 7200 : now,
      exp: fault === 'expired' ? now - 3600 : now + 60,
    };
    const token = new SignJWT(claims).setProtectedHeader({ alg: 'RS256', kid: 'k' });
    return token.sign(fault === 'signature' ? foreign.privateKey : key.privateKey);
  };

  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '/', provider.url);
    const [, token = ''] = (request.headers.authorization ?? '').split(' ');
    if (pathname === '/oauth/authorize') return authorize(searchParams, response);
    if (pathname === '/oauth/token') return void redeem(request, response);
    if (pathname === '/oauth/discovery/keys') return json(response, 200, { keys });
    if (pathname === '/oauth/userinfo')
      return json(response, accessTokens.has(token) ? 200 : 401, accessTokens.get(token) ?? {});
    if (pathname === '/.well-known/openid-configuration')
      return json(response, 200, {
        issuer: provider.url,
        authorization_endpoint: `${provider.url}/oauth/authorize`,
        token_endpoint: `${provider.url}/oauth/token`,
        userinfo_endpoint: `${provider.url}/oauth/userinfo`,
        jwks_uri: `${provider.url}/oauth/discovery/keys`,
        id_token_signing_alg_values_supported: ['RS256'],
        response_types_supported: ['code'],
        subject_types_supported: ['public'],
        code_challenge_methods_supported: ['plain', 'S256'],
      });
    json(response, 404, {});
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  const provider: SignInProvider = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    ...{ clientId, clientSecret, refusals, person, fault: 'none', redirectUri: '' },
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
  return provider;
}

function json(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(body));
}

import { createServer } from 'node:http';
import { type AddressInfo } from 'node:net';
import { exportJWK, generateKeyPair, type JWK, type JWTPayload, SignJWT } from 'jose';

type Claims = JWTPayload & Record<string, unknown>;

interface SignOptions {
  /** Default: RS256 with the published key. */
  algorithm?: 'RS256' | 'ES256' | 'HS256';
  key?: 'published' | 'foreign';
  /** Seconds from now; default 60. */
  expiresIn?: number;
  /** The `typ` of the header; default: none. */
  type?: string;
}

export interface OidcIssuer {
  readonly url: string;
  /** Number of requests for the keys. */
  keyRequests(): number;
  sign(claims: Claims, options?: SignOptions): Promise<string>;
  /** Makes it answer 500 from now on. */
  breakDown(): void;
  close(): Promise<void>;
}

/** A real issuer over HTTP: discovery document, keys, and tokens signed with them. */
export async function startOidcIssuer(): Promise<OidcIssuer> {
  const published = await generateKeyPair('RS256', { extractable: true });
  const elliptic = await generateKeyPair('ES256', { extractable: true });
  const foreign = await generateKeyPair('RS256');
  const keys: JWK[] = [
    { ...(await exportJWK(published.publicKey)), kid: 'rsa', alg: 'RS256', use: 'sig' },
    { ...(await exportJWK(elliptic.publicKey)), kid: 'ec', alg: 'ES256', use: 'sig' },
  ];
  let keyRequests = 0;
  let isBroken = false;
  const server = createServer((request, response) => {
    if (isBroken) return void response.writeHead(500).end();
    const isKeys = request.url === '/realm/keys';
    if (isKeys) keyRequests++;
    const body = isKeys ? { keys } : { issuer: `${origin()}/realm`, jwks_uri: `${origin()}/realm/keys` };
    response.writeHead(200, { 'Content-Type': 'application/json' }).end(JSON.stringify(body));
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  const origin = (): string => `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

  return {
    url: `${origin()}/realm`,
    keyRequests: () => keyRequests,
    sign(claims, { algorithm = 'RS256', key = 'published', expiresIn = 60, type } = {}) {
      const now = Math.floor(Date.now() / 1000);
      const token = new SignJWT({
        iss: `${origin()}/realm`,
        aud: 'repotide',
        exp: now + expiresIn,
        ...claims,
      })
        .setProtectedHeader({
          alg: algorithm,
          kid: algorithm === 'ES256' ? 'ec' : 'rsa',
          ...(type && { typ: type }),
        })
        .setIssuedAt();
      if (algorithm === 'HS256')
        return token.sign(new TextEncoder().encode(JSON.stringify(keys[0]).padEnd(64)));
      if (algorithm === 'ES256') return token.sign(elliptic.privateKey);
      return token.sign(key === 'published' ? published.privateKey : foreign.privateKey);
    },
    breakDown: () => void (isBroken = true),
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}

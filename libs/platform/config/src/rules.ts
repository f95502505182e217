import { type ConfigProblem } from './config-error.js';
import { type Mode } from './arrange.js';
import { type Values, type VariableName } from './variables.js';

/**
 * Checks that concern several variables.
 * @param refused variables that are invalid by themselves: `values` has only their default.
 */
export function checkTogether(values: Values, mode: Mode, refused: ReadonlySet<string>): ConfigProblem[] {
  const isKnown = (...names: VariableName[]): boolean => !names.some((name) => refused.has(name));
  return [
    ...(isKnown('LEASE_TTL_SECONDS', 'LEASE_RENEW_SECONDS') ? checkLease(values) : []),
    ...(isKnown('CHUNK_SIZE', 'CHUNK_OVERLAP') ? checkChunks(values) : []),
    ...(isKnown('EMBEDDING_URL', 'EMBEDDING_PROVIDER') ? checkEmbedder(values, mode) : []),
    ...(isKnown('OIDC_ISSUER', 'OIDC_AUDIENCE', 'OIDC_CLIENT_ID', 'PUBLIC_URL') ? checkOidc(values) : []),
    ...(isKnown('PORT', 'METRICS_PORT') ? checkPorts(values) : []),
    ...checkTls(values),
    ...(mode === 'distributed' ? checkDistributed(values) : []).filter(
      ({ variable }) => !refused.has(variable),
    ),
  ];
}

function checkLease({ LEASE_TTL_SECONDS: ttl, LEASE_RENEW_SECONDS: renew }: Values): ConfigProblem[] {
  if (renew * 3 <= ttl) return [];
  const expected = `at most a third of LEASE_TTL_SECONDS (${ttl}), so that two renewals may fail`;
  return [{ variable: 'LEASE_RENEW_SECONDS', found: String(renew), expected }];
}

function checkChunks({ CHUNK_SIZE: size, CHUNK_OVERLAP: overlap }: Values): ConfigProblem[] {
  if (overlap * 2 < size) return [];
  const expected = `less than half of CHUNK_SIZE (${size})`;
  return [{ variable: 'CHUNK_OVERLAP', found: String(overlap), expected }];
}

function checkEmbedder(values: Values, mode: Mode): ConfigProblem[] {
  const { EMBEDDING_PROVIDER: provider, EMBEDDING_URL: url } = values;
  if (url !== undefined || provider === 'lexical') return [];
  if (provider === 'openai') {
    const expected =
      'the URL of the server, e.g. https://api.openai.com/v1, because EMBEDDING_PROVIDER is openai';
    return [missing('EMBEDDING_URL', expected)];
  }
  if (mode === 'standalone') return [];
  const expected =
    'the URL of an OpenAI-compatible server in distributed mode, or EMBEDDING_PROVIDER=lexical to select the built-in embedder';
  return [missing('EMBEDDING_URL', expected)];
}

function checkOidc(values: Values): ConfigProblem[] {
  const { OIDC_ISSUER: issuer, OIDC_AUDIENCE: audience, OIDC_CLIENT_ID: client } = values;
  const problems: ConfigProblem[] = [];
  // Without an audience, a token that the issuer made for another service would be accepted here.
  if (issuer !== undefined && audience === undefined && client === undefined)
    problems.push(missing('OIDC_AUDIENCE', 'the audience of the tokens, because OIDC_ISSUER is set'));
  if (client !== undefined && values.PUBLIC_URL === undefined)
    problems.push(
      missing('PUBLIC_URL', 'the address of the service in a browser, because OIDC_CLIENT_ID is set'),
    );
  const isOther = issuer !== undefined && issuer.replace(/\/+$/, '') !== values.GITLAB_URL;
  if (values.GITLAB_MEMBERSHIP === 'on' && isOther && values.GITLAB_USER_CLAIM === undefined)
    problems.push(
      missing(
        'GITLAB_USER_CLAIM',
        'the claim with the number of the user at GITLAB_URL, because GITLAB_MEMBERSHIP is on and OIDC_ISSUER is another server',
      ),
    );
  return problems;
}

function checkPorts({ PORT: port, METRICS_PORT: metricsPort }: Values): ConfigProblem[] {
  if (port === 0 || port !== metricsPort) return [];
  return [
    { variable: 'METRICS_PORT', found: String(metricsPort), expected: `another port than PORT (${port})` },
  ];
}

/** The URL of a server, the setting with its certificates, and how the URL must begin with it. */
const TLS_SERVERS = [
  ['QDRANT_URL', 'QDRANT_TLS_DIR', 'https:'],
  ['EMBEDDING_URL', 'EMBEDDING_TLS_DIR', 'https:'],
  ['RERANK_URL', 'RERANK_TLS_DIR', 'https:'],
  ['GITLAB_URL', 'GITLAB_TLS_DIR', 'https:'],
  ['REDIS_URL', 'REDIS_TLS_DIR', 'rediss'],
] as const;

/** Nobody who sets up certificates wants a connection without TLS. */
function checkTls(values: Values): ConfigProblem[] {
  const problems = TLS_SERVERS.flatMap(([name, directory, beginning]): ConfigProblem[] => {
    const urls = [values[name] ?? []].flat();
    if (values[directory] === undefined || urls.every((url) => url.startsWith(beginning))) return [];
    return [{ variable: name, ...withTls(`a URL that begins with ${beginning}`, directory) }];
  });
  const { DATABASE_URL: database, DATABASE_TLS_DIR: directory } = values;
  if (directory !== undefined && /[?&](sslmode=disable|ssl=(0|false))(&|$)/.test(database ?? ''))
    problems.push({ variable: 'DATABASE_URL', ...withTls('sslmode=verify-full', 'DATABASE_TLS_DIR') });
  return problems;
}

function withTls(expected: string, directory: string): { found: string; expected: string } {
  return { found: 'a URL without TLS', expected: `${expected}, because ${directory} is set` };
}

function checkDistributed(values: Values): ConfigProblem[] {
  const reason = 'in distributed mode, which REDIS_URL or REDIS_HOST selects';
  const problems: ConfigProblem[] = [];
  if (values.DATABASE_URL === undefined) {
    problems.push(missing('DATABASE_URL', `the URL of a Postgres database ${reason}`));
  }
  if (values.QDRANT_URL === undefined) {
    problems.push(missing('QDRANT_URL', `the URL of a Qdrant server ${reason}`));
  }
  return problems;
}

function missing(variable: string, expected: string): ConfigProblem {
  return { variable, found: '(unset)', expected };
}

/** Valid settings that have no effect, or less effect than expected. */
export function findIneffective(values: Values): string[] {
  const warnings: string[] = [];
  if (values.REDIS_URL !== undefined && values.REDIS_HOST !== undefined) {
    warnings.push('REDIS_HOST, REDIS_PORT and REDIS_DB have no effect because REDIS_URL is set.');
  }
  if (values.REDIS_URL?.length === 2) {
    warnings.push('REDIS_URL has two servers: the loss of either stops all runs. Use one, or three or more.');
  }
  if (values.EMBEDDING_PROVIDER === 'lexical' && values.EMBEDDING_URL !== undefined) {
    warnings.push('EMBEDDING_URL has no effect because EMBEDDING_PROVIDER is lexical.');
  }
  if (values.RERANK_URL === undefined && (values.RERANK_MODEL ?? values.RERANK_API_KEY) !== undefined) {
    warnings.push('RERANK_MODEL and RERANK_API_KEY have no effect because RERANK_URL is not set.');
  }
  if (values.QDRANT_COLLECTION_OPTIONS !== undefined && values.QDRANT_URL === undefined) {
    warnings.push('QDRANT_COLLECTION_OPTIONS has no effect because QDRANT_URL is not set.');
  }
  for (const [url, directory] of [...TLS_SERVERS, ['DATABASE_URL', 'DATABASE_TLS_DIR'] as const]) {
    const isThere = values[url] !== undefined || (url === 'REDIS_URL' && values.REDIS_HOST !== undefined);
    if (values[directory] !== undefined && !isThere)
      warnings.push(`${directory} has no effect because ${url} is not set.`);
  }
  if (values.OIDC_AUDIENCE !== undefined && values.OIDC_ISSUER === undefined) {
    warnings.push('OIDC_AUDIENCE has no effect because OIDC_ISSUER is not set.');
  }
  if (values.OIDC_CLIENT_SECRET !== undefined && values.OIDC_CLIENT_ID === undefined) {
    warnings.push('OIDC_CLIENT_SECRET has no effect because OIDC_CLIENT_ID is not set.');
  }
  if (values.GITLAB_MEMBERSHIP === 'on' && (values.OIDC_ISSUER ?? values.OIDC_CLIENT_ID) === undefined) {
    warnings.push('GITLAB_MEMBERSHIP has no effect because nobody can sign in: set OIDC_CLIENT_ID.');
  }
  return warnings;
}

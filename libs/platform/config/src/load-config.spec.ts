import { randomBytes } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { type Machine } from './arrange.js';
import { ConfigError } from './config-error.js';
import { type Environment, secretValues } from './environment.js';
import { describeConfig, loadConfig } from './load-config.js';
import { variableEntries } from './variables.js';

const MACHINE: Machine = { hostname: 'host:1', isTerminal: false, workingDirectory: '/srv' };
const DISTRIBUTED: Environment = {
  REDIS_URL: 'redis://redis:6379',
  DATABASE_URL: 'postgres://user:s3cret-word@db/repotide',
  QDRANT_URL: 'http://qdrant:6333/',
  EMBEDDING_URL: 'https://embed.test/v1/',
};

function load(env: Environment) {
  return loadConfig(env, MACHINE);
}

function problemsOf(env: Environment): ConfigError['problems'] {
  try {
    load(env);
  } catch (error) {
    if (error instanceof ConfigError) return error.problems;
    throw error;
  }
  return [];
}

describe('loadConfig', () => {
  it('needs nothing in standalone mode', () => {
    const config = load({});
    expect(config.mode).toBe('standalone');
    expect(config.redis).toBeUndefined();
    expect(config.postgres.url).toBeUndefined();
    expect(config.embedding).toEqual({ provider: 'lexical', dimensions: undefined });
    expect(config.chunking).toEqual({ size: 7000, overlap: 1500, maxFileBytes: 1_048_576 });
    expect(config.lease).toEqual({ ttlSeconds: 60, renewSeconds: 15, reaperIntervalSeconds: 15 });
    expect(config.dataDir).toBe('/srv/.repotide');
    expect(config.warnings).toEqual([]);
  });

  it('reads a distributed environment', () => {
    const config = load({ ...DISTRIBUTED, REPOTIDE_ROLES: 'worker, api,worker', POD_NAME: 'repotide-0' });
    expect(config.mode).toBe('distributed');
    expect(config.roles).toEqual(['worker', 'api']);
    expect(config.pod.name).toBe('repotide-0');
    expect(config.qdrant.url).toBe('http://qdrant:6333');
    expect(config.embedding).toMatchObject({ provider: 'openai', url: 'https://embed.test/v1' });
  });

  it('reads a new and a former encryption key from one variable', () => {
    const [fresh, former] = ['n'.repeat(16), 'f'.repeat(16)];
    expect(load({ REPOTIDE_ENCRYPTION_KEY: fresh }).auth).toMatchObject({ encryptionKey: fresh });
    expect(load({ REPOTIDE_ENCRYPTION_KEY: `${fresh}, ${former}` }).auth).toMatchObject({
      encryptionKey: fresh,
      previousEncryptionKey: former,
    });
    expect(problemsOf({ REPOTIDE_ENCRYPTION_KEY: `${fresh},short` })).toMatchObject([
      { variable: 'REPOTIDE_ENCRYPTION_KEY', found: '(set)' },
    ]);
  });

  it('takes the key of the former embedding server out of its URL', () => {
    const { previousEmbedding } = load({ EMBEDDING_PREVIOUS_URL: 'https://:sk%2Fkey@former.test/v1/' });
    expect(previousEmbedding).toMatchObject({ url: 'https://former.test/v1', apiKey: 'sk/key' });
  });

  it('reads the shape of collections, and names what Qdrant would refuse', () => {
    const options = {
      replication_factor: 2,
      vectors: { on_disk: true },
      quantization_config: { binary: { always_ram: true } },
    };
    const QDRANT_COLLECTION_OPTIONS = JSON.stringify(options);
    expect(load({ ...DISTRIBUTED, QDRANT_COLLECTION_OPTIONS }).qdrant.collectionOptions).toEqual(options);
    expect(load({}).qdrant.collectionOptions).toEqual({});
    const found = (text: string) => problemsOf({ QDRANT_COLLECTION_OPTIONS: text })[0]?.found;
    expect(found('{"shards":2}')).toMatch(/^"{.*}" \(Unrecognized key: "shards"\)$/);
    expect(found('{"hnsw_config":{"m":"16"}}')).toMatch(/\(hnsw_config\.m: .*number.*\)$/);
    expect(found('{"vectors":{"size":8}}')).toMatch(/vectors: Unrecognized key/);
    expect(found('replication_factor=2')).toMatch(/\(is not JSON\)$/);
  });

  it('returns a deeply frozen configuration', () => {
    const config = load(DISTRIBUTED);
    expect(() => Object.assign(config.lease, { ttlSeconds: 1 })).toThrow(TypeError);
    expect(() => (config.redis?.urls as string[]).push('redis://other')).toThrow(TypeError);
  });

  it('counts empty and blank values as unset and ignores spaces around a value', () => {
    const config = load({ REDIS_URL: '', DATABASE_URL: '  ', GITLAB_TOKEN: 'glpat-x\n', PORT: ' 0 ' });
    expect(config.mode).toBe('standalone');
    expect(config.postgres.url).toBeUndefined();
    expect(config.gitlab.token).toBe('glpat-x');
    expect(config.http.port).toBe(0);
  });

  it('keeps the separator of lease values out of the pod name', () => {
    expect(load({}).pod.name).toBe('host-1');
    expect(problemsOf({ POD_NAME: 'a:b' })).toMatchObject([{ variable: 'POD_NAME', found: '"a:b"' }]);
  });

  it('builds the Redis URL from its parts', () => {
    const { redis } = load({
      ...DISTRIBUTED,
      REDIS_URL: undefined,
      REDIS_HOST: 'r',
      REDIS_DB: '2',
      REDIS_PASSWORD: 'a/b@c%',
    });
    expect(redis?.urls).toEqual(['redis://:a%2Fb%40c%25@r:6379/2']);
  });

  it('splits several Redis URLs and adds the password to those without one', () => {
    const { redis } = load({
      ...DISTRIBUTED,
      REDIS_URL: 'redis://a:1, rediss://:own@b:2,redis://c',
      REDIS_PASSWORD: 'p',
    });
    expect(redis?.urls).toEqual(['redis://:p@a:1', 'rediss://:own@b:2', 'redis://:p@c']);
  });

  it('keeps a REDIS_URL with Sentinels whole, and adds the password', () => {
    const load = (REDIS_URL: string) =>
      loadConfig({ ...DISTRIBUTED, REDIS_URL, REDIS_PASSWORD: 'p@' }).redis?.urls;
    expect(load('redis+sentinel://a:1,b:2/main/0')).toEqual(['redis+sentinel://:p%40@a:1,b:2/main/0']);
    const own = 'rediss+sentinel://u:own@a,b/main?sentinel_password=s';
    expect(load(own)).toEqual([own]);
    for (const wrong of ['redis+sentinel://a:1,b:2', 'redis+sentinel:///main', 'sentinel://a/main'])
      expect(() => load(wrong)).toThrow(/REDIS_URL/);
  });

  it('ignores the REDIS_PORT that Kubernetes sets for a Service named redis', () => {
    const config = load({ ...DISTRIBUTED, REDIS_PORT: 'tcp://10.43.0.7:6379' });
    expect(config.redis?.urls).toEqual(['redis://redis:6379']);
  });

  it('splits the allowed outgoing hosts', () => {
    const listed = (OUTGOING_ALLOWED_HOSTS: string) =>
      loadConfig({ OUTGOING_ALLOWED_HOSTS }).gitlab.allowedHosts;
    expect(loadConfig({}).gitlab.allowedHosts).toEqual(['public']);
    const all =
      'public, git.example.com,*.corp.test,10.1.0.0/16,192.0.2.1,fd00::/8,::1,git.test:8443,http://10.0.0.0/8:*,https://[::1]:1';
    expect(listed(all)).toEqual(all.split(',').map((entry) => entry.trim()));
    for (const wrong of [
      '10.0.0.0/33',
      'fd00::/129',
      '10.0.0',
      '1.2.3.4/',
      'https://git/path',
      'a b',
      '*',
      '*.*.x',
      'ftp://git.test',
      'git.test:99999',
      'git.test:x',
      'http://',
      '.x',
    ])
      expect(() => listed(wrong)).toThrow('OUTGOING_ALLOWED_HOSTS');
  });

  it('chooses the log format by the terminal unless it is set', () => {
    expect(load({}).log.format).toBe('json');
    expect(loadConfig({}, { ...MACHINE, isTerminal: true }).log.format).toBe('pretty');
  });
});

describe('refusal', () => {
  it.each<[string, Environment, string[]]>([
    ['a number with a unit', { PORT: '5x' }, ['PORT']],
    ['a number in scientific notation', { WORKER_CONCURRENCY: '1e1' }, ['WORKER_CONCURRENCY']],
    ['a port out of range', { PORT: '65536' }, ['PORT']],
    ['an unknown role', { REPOTIDE_ROLES: 'api,cron' }, ['REPOTIDE_ROLES']],
    ['a list without members', { REPOTIDE_ROLES: ',' }, ['REPOTIDE_ROLES']],
    ['an embedding URL of another scheme', { EMBEDDING_URL: 'grpc://x' }, ['EMBEDDING_URL']],
    ['a database of another make', { DATABASE_URL: 'mysql://x/y' }, ['DATABASE_URL']],
    ['too rare renewal', { LEASE_RENEW_SECONDS: '21' }, ['LEASE_RENEW_SECONDS']],
    ['an overlap of half a chunk', { CHUNK_SIZE: '1000', CHUNK_OVERLAP: '500' }, ['CHUNK_OVERLAP']],
    ['a provider without its server', { EMBEDDING_PROVIDER: 'openai' }, ['EMBEDDING_URL']],
    ['distributed without the rest', { REDIS_HOST: 'r' }, ['EMBEDDING_URL', 'DATABASE_URL', 'QDRANT_URL']],
    [
      'a broken Redis URL, as distributed',
      { ...DISTRIBUTED, REDIS_URL: 'redis', QDRANT_URL: '' },
      ['REDIS_URL', 'QDRANT_URL'],
    ],
    [
      'everything at once',
      { PORT: 'x', LOG_LEVEL: 'loud', CHUNK_SIZE: '0' },
      ['CHUNK_SIZE', 'PORT', 'LOG_LEVEL'],
    ],
  ])('of %s', (_what, env, expected) => {
    expect(problemsOf(env).map(({ variable }) => variable)).toEqual(expected);
  });

  it('accepts the lexical embedder in distributed mode when EMBEDDING_PROVIDER selects it', () => {
    expect(problemsOf({ ...DISTRIBUTED, EMBEDDING_URL: undefined })).toHaveLength(1);
    expect(problemsOf({ ...DISTRIBUTED, EMBEDDING_URL: undefined, EMBEDDING_PROVIDER: 'lexical' })).toEqual(
      [],
    );
  });

  it('contains the found and the expected value, and never a secret', () => {
    const env = {
      PORT: 'eighty',
      DATABASE_URL: 'mysql://u:hush-1@db',
      GITLAB_TOKEN: 'hush 2',
      GITLAB_URL: 'https://u:hush-3@gitlab.test?token=hush-4',
    };
    expect(() => load(env)).toThrow('PORT: found "eighty"; expected a whole number from 0 to 65535');
    expect(() => load(env)).toThrow('GITLAB_URL: found "https://***@gitlab.test?***"; expected an http://');
    expect(JSON.stringify(problemsOf(env))).not.toContain('hush');
  });
});

describe('warnings', () => {
  it.each([
    ['REPOTIDE_DATADIR', 'REPOTIDE_DATA_DIR'],
    ['LEASE_TTL_SECOND', 'LEASE_TTL_SECONDS'],
    ['LEASE_TTL', 'LEASE_TTL_SECONDS'],
    ['DATABSE_URL', 'DATABASE_URL'],
    ['EMBEDDINGS_URL', 'EMBEDDING_URL'],
  ])('report %s as a misspelt %s', (written, meant) => {
    expect(load({ [written]: 'x' }).warnings).toEqual([
      `${written} is not a variable of Repotide and was ignored; did you mean ${meant}?`,
    ]);
  });

  it('do not mention variables of other programs', () => {
    const others = {
      NODE_NAME: 'n',
      PATH: '/bin',
      HOSTS: 'x',
      POD_IP: '10.0.0.1',
      GITLAB_CI: 'true',
      LANG: 'C',
    };
    const links = {
      REPOTIDE_SERVICE_HOST: '10.0.0.1',
      REPOTIDE_PORT: 'tcp://x',
      REPOTIDE_PORT_3000_TCP: 'tcp://x',
    };
    expect(load({ ...others, ...links, REPOTIDE_UNUSED: '' }).warnings).toEqual([]);
  });

  it('list settings without effect', () => {
    const { warnings } = load({ ...DISTRIBUTED, REDIS_HOST: 'r', EMBEDDING_PROVIDER: 'lexical' });
    expect(warnings).toEqual([
      expect.stringContaining('REDIS_HOST'),
      expect.stringContaining('EMBEDDING_URL has no effect'),
    ]);
  });
});

describe('single sign-on', () => {
  const OIDC = { OIDC_ISSUER: 'https://login.test/realms/main/', OIDC_AUDIENCE: 'repotide' };

  it('is off unless an issuer is named', () => {
    expect(load({}).auth.oidc).toBeUndefined();
    expect(load({ OIDC_AUDIENCE: 'repotide' }).warnings).toEqual([expect.stringContaining('OIDC_AUDIENCE')]);
  });

  it('keeps the issuer unchanged, and reads the claim and the roles', () => {
    const roles = 'platform team=admin, developers=viewer';
    const { oidc } = load({ ...OIDC, OIDC_ROLE_CLAIM: 'realm_access.roles', OIDC_ROLE_MAP: roles }).auth;
    expect(oidc).toEqual({
      issuer: 'https://login.test/realms/main/',
      audience: 'repotide',
      roleClaim: ['realm_access', 'roles'],
      roleByValue: { 'platform team': 'admin', developers: 'viewer' },
      defaultRole: null,
      memberClaim: null,
      scopeClaim: null,
      patternsByValue: null,
    });
  });

  const SIGN_IN = { OIDC_CLIENT_ID: 'app', PUBLIC_URL: 'https://code.example.com/index/' };

  it('lets people sign in at GitLab without another setting than the application', () => {
    const { oidc, signIn } = load({
      ...SIGN_IN,
      GITLAB_URL: 'https://git.example.com',
      GITLAB_MEMBERSHIP: 'on',
    }).auth;
    expect(oidc).toMatchObject({
      issuer: 'https://git.example.com',
      audience: undefined,
      memberClaim: ['sub'],
    });
    expect(signIn).toMatchObject({
      provider: 'GitLab',
      publicUrl: 'https://code.example.com/index',
      idleSeconds: 3600,
      lifeSeconds: 36_000,
    });
  });

  it('lets people sign in at another provider, without the rights of GitLab', () => {
    const { auth } = load({ ...SIGN_IN, OIDC_ISSUER: 'https://login.test/realms/main' });
    expect(auth.signIn).toMatchObject({ provider: 'login.test' });
    expect(auth.oidc).toMatchObject({ memberClaim: null });
  });

  it.each([
    ['OIDC_AUDIENCE', { OIDC_ISSUER: 'https://login.test' }],
    ['OIDC_ISSUER', { ...OIDC, OIDC_ISSUER: 'login.test' }],
    ['OIDC_ROLE_MAP', { ...OIDC, OIDC_ROLE_MAP: 'developers=root' }],
    ['OIDC_ROLE_MAP', { ...OIDC, OIDC_ROLE_MAP: 'developers' }],
    ['PUBLIC_URL', { OIDC_CLIENT_ID: 'app' }],
    ['GITLAB_USER_CLAIM', { ...OIDC, GITLAB_MEMBERSHIP: 'on' }],
    ['METRICS_PORT', { PORT: '3000', METRICS_PORT: '3000' }],
  ])('refuses a wrong %s', (variable, env) => {
    expect(problemsOf(env).map((problem) => problem.variable)).toEqual([variable]);
  });
});

describe('secrets', () => {
  it.each([
    ['a', 'one character'],
    ['s3cret', 'a short word'],
    ['aaaaaaaaaaaaaaaaaaaaaaaa', 'one character repeated'],
    ['1234567890123456', 'a sequence'],
    ['abcdefghijklmnopqrstuvwx', 'the alphabet'],
    ['passwordpassword', 'a word repeated'],
    ['change-me-change-me', 'a phrase repeated'],
  ])('that protect the service must be hard to guess: %s is refused', (secret) => {
    for (const variable of ['REPOTIDE_ADMIN_TOKEN', 'GITLAB_WEBHOOK_SECRET']) {
      const [problem, ...others] = problemsOf({ [variable]: secret });
      expect(others).toEqual([]);
      expect(problem).toMatchObject({ variable, found: '(set)' });
      expect(problem?.expected).toContain('openssl rand -hex 16');
    }
  });

  it('may be any random text of sufficient length', () => {
    for (let round = 0; round < 200; round += 1)
      for (const secret of [
        randomBytes(16).toString('hex'),
        `whsec_${randomBytes(24).toString('base64')}`,
        randomBytes(15).toString('base64url'),
      ])
        expect(() => load({ REPOTIDE_ADMIN_TOKEN: secret, GITLAB_WEBHOOK_SECRET: secret })).not.toThrow();
  });

  it('are all masked in the description', () => {
    const secrets = variableEntries.filter(([, { isSecret }]) => isSecret).map(([name]) => name);
    const values = Object.fromEntries(secrets.map((name) => [name, 'hush-4f0d-9bKq-x72z-Lw8']));
    const env = {
      ...values,
      DATABASE_URL: 'postgres://u:hush@db/x',
      REDIS_URL: 'redis://:hush@r',
      EMBEDDING_PREVIOUS_URL: 'https://:hush@former.test/v1',
    };
    const config = load({ ...DISTRIBUTED, ...env });
    expect(JSON.stringify(describeConfig(config))).not.toContain('hush');
    expect(describeConfig(config)).toMatchObject({
      DATABASE_URL: '(set)',
      GITLAB_TOKEN: '(set)',
      mode: 'distributed',
    });
    expect(describeConfig(load({}))).toMatchObject({ GITLAB_TOKEN: '(unset)', PORT: '3000' });
  });

  it('are listed for redaction, with the passwords inside URLs', () => {
    const env = {
      DATABASE_URL: 'postgres://u:p%40ss@db/x',
      REDIS_URL: 'redis://r,redis://:r3dis@s',
      GITLAB_TOKEN: 'glpat-abc',
      REDIS_PASSWORD: 'with/slash',
      PORT: '3000',
    };
    expect(secretValues(env)).toEqual(
      expect.arrayContaining(['p%40ss', 'p@ss', 'r3dis', 'glpat-abc', 'with/slash', 'with%2Fslash']),
    );
    expect(secretValues(env)).not.toContain('3000');
  });
});

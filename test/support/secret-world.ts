import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  createGitRepository,
  type EmbeddingStandIn,
  type GitLabStandIn,
  type QdrantDouble,
  startEmbeddingStandIn,
  startGitLabStandIn,
  startQdrantDouble,
} from '@devkit';
import { createInstallation, type Installation } from './installation.js';
import { createTestDatabase } from './postgres.js';
import { onServer } from './postgres-url.js';
import { startTestRedis, type TestRedis } from './redis.js';

export const PROJECT = 'team/quiet';
/** The discard port: nothing listens there. */
export const UNREACHABLE_URL = 'http://127.0.0.1:9';

/** Every secret of the test, by the place where it was put. */
export class Secrets {
  private readonly values = new Map<string, string>();

  /** A unique secret whose first characters already identify it. */
  plant(place: string, prefix = ''): string {
    return this.add(place, prefix + randomBytes(24).toString('hex'));
  }

  add(place: string, value: string): string {
    this.values.set(place, value);
    return value;
  }

  /**
   * The places whose secrets a text contains: whole or cut off, as plain text, in base64 or base64url at any offset, or as
   * hexadecimal digits.
   */
  foundIn(text: string): string[] {
    return [...this.values]
      .filter(([, value]) => piecesOf(value).some((piece) => text.includes(piece)))
      .map(([place]) => place);
  }
}

const TELLING = 14;

function piecesOf(value: string): string[] {
  const middle = Math.floor(value.length / 2);
  const pieces = [
    ...new Set([value.slice(0, TELLING), value.slice(middle, middle + TELLING), value.slice(-TELLING)]),
  ];
  const encoded = [0, 1, 2].flatMap((offset) => {
    const bytes = Buffer.from('x'.repeat(offset) + value);
    // The characters at both ends depend on the neighbouring bytes.
    return [bytes.toString('base64').slice(4, 24), bytes.toString('base64url').slice(4, 24)];
  });
  return [
    ...pieces,
    ...encoded,
    Buffer.from(value)
      .toString('hex')
      .slice(0, 2 * TELLING),
  ];
}

/** All systems that a distributed service needs, each protected by its own secret. */
export interface SecretWorld {
  readonly secrets: Secrets;
  readonly env: Readonly<Record<string, string>>;
  readonly gitlab: GitLabStandIn;
  readonly embedding: EmbeddingStandIn;
  readonly qdrant: QdrantDouble;
  readonly redis: TestRedis;
  readonly redisPassword: string;
  readonly installation: Installation;
  /** Commits a file with new content. */
  write(text: string): Promise<void>;
  remove(): Promise<void>;
}

export async function createSecretWorld(): Promise<SecretWorld> {
  const directory = await mkdtemp(join(tmpdir(), 'repotide-secrets-'));
  const git = await createGitRepository(join(directory, 'git'));
  await git.write('src/main.ts', 'export const answer = 42;\n').commit('First');
  const secrets = new Secrets();
  const embeddingKey = secrets.plant('EMBEDDING_API_KEY', 'sk-');
  const qdrantKey = secrets.plant('QDRANT_API_KEY');
  const redisPassword = secrets.plant('REDIS_PASSWORD');
  const [database, redis, embedding, qdrant, gitlab] = await Promise.all([
    createDatabaseWithPassword(secrets.plant('DATABASE_URL')),
    startTestRedis('--requirepass', redisPassword),
    startEmbeddingStandIn({ apiKey: embeddingKey }),
    startQdrantDouble({ apiKey: qdrantKey }),
    startGitLabStandIn(),
  ]);
  await gitlab.addProject({ path: PROJECT, gitDir: git.directory, defaultBranch: 'main' });
  const env = {
    DATABASE_URL: database.url,
    REDIS_HOST: '127.0.0.1',
    REDIS_PORT: String(redis.port),
    REDIS_PASSWORD: redisPassword,
    QDRANT_URL: qdrant.url,
    QDRANT_API_KEY: qdrantKey,
    GITLAB_URL: gitlab.url,
    GITLAB_TOKEN: secrets.add('GITLAB_TOKEN', gitlab.token),
    GITLAB_WEBHOOK_SECRET: secrets.plant('GITLAB_WEBHOOK_SECRET'),
    OUTGOING_ALLOWED_HOSTS: 'http://127.0.0.1:*',
    EMBEDDING_URL: embedding.url,
    EMBEDDING_DIMENSIONS: '16',
    EMBEDDING_API_KEY: embeddingKey,
    EMBEDDING_PREVIOUS_URL: `${UNREACHABLE_URL.replace('://', `://:${secrets.plant('EMBEDDING_PREVIOUS_URL', 'sk-')}@`)}/v1`,
    RERANK_URL: UNREACHABLE_URL,
    RERANK_API_KEY: secrets.plant('RERANK_API_KEY'),
    METRICS_TOKEN: secrets.plant('METRICS_TOKEN'),
    OIDC_CLIENT_ID: 'repotide',
    OIDC_CLIENT_SECRET: secrets.plant('OIDC_CLIENT_SECRET'),
    PUBLIC_URL: 'https://repotide.example.com',
    REPOTIDE_ADMIN_TOKEN: secrets.plant('REPOTIDE_ADMIN_TOKEN'),
    REPOTIDE_ENCRYPTION_KEY: `${secrets.plant('REPOTIDE_ENCRYPTION_KEY')},${secrets.plant('former REPOTIDE_ENCRYPTION_KEY')}`,
    OTEL_EXPORTER_OTLP_ENDPOINT: UNREACHABLE_URL,
    OTEL_EXPORTER_OTLP_HEADERS: `authorization=Bearer%20${secrets.plant('OTEL_EXPORTER_OTLP_HEADERS')}`,
    LOG_LEVEL: 'debug',
  };
  const installation = await createInstallation(env);
  return {
    ...{ secrets, env, gitlab, embedding, qdrant, redis, redisPassword, installation },
    async write(text) {
      await git.write('src/changed.ts', text).commit(text);
    },
    async remove() {
      await installation.remove();
      await Promise.all([gitlab.stop(), embedding.stop(), qdrant.close(), redis.stop()]);
      await database.drop();
      await rm(directory, { recursive: true, force: true });
    },
  };
}

/** An empty database whose owner is a new role that needs a password. */
async function createDatabaseWithPassword(password: string) {
  const database = await createTestDatabase('empty');
  const { url } = database;
  const role = `repotide_test_${randomBytes(6).toString('hex')}`;
  const name = decodeURIComponent(new URL(url).pathname.slice(1));
  await onServer(url, async (client) => {
    await client.query(`CREATE ROLE ${role} LOGIN PASSWORD ${client.escapeLiteral(password)}`);
    await client.query(`ALTER DATABASE ${client.escapeIdentifier(name)} OWNER TO ${role}`);
  });
  const owned = new URL(url);
  owned.username = role;
  owned.password = password;
  return {
    url: owned.href,
    drop: async () => {
      await database.drop();
      // The run's base database exists for the whole run.
      const server = process.env.TEST_POSTGRES_URL ?? url;
      await onServer(server, (client) => client.query(`DROP ROLE ${role}`));
    },
  };
}

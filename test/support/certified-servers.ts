import { chown, mkdir, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type EmbeddedPostgres, startEmbeddedPostgres } from '@adapters/postgres';
import { type Authority, createAuthority } from '@devkit';
import { freePort } from './free-port.js';
import { onServer } from './postgres-url.js';
import { startTestRedis, type TestRedis } from './redis.js';
import { silentLogger } from './silent-logger.js';

const DIRECTORY = join(tmpdir(), 'repotide-certified-');

/** Who signs the certificates of servers, and of the clients that they accept. */
export const serverAuthority = createAuthority('servers');
export const clientAuthority = createAuthority('clients');

/** Writes the directory of a client, in one of the orders in which files change. */
export async function writeCertificates(
  directory: string,
  name: string,
  authority: Authority = clientAuthority,
): Promise<string> {
  const { key, cert } = authority.issue(name);
  await mkdir(directory, { recursive: true });
  await writeFile(join(directory, 'tls.key'), key);
  await writeFile(join(directory, 'tls.crt'), cert);
  await writeFile(join(directory, 'ca.crt'), serverAuthority.cert);
  return directory;
}

/** The files of a server that accepts clients of {@link clientAuthority}. */
async function writeServerFiles(directory: string): Promise<{ cert: string; key: string; ca: string }> {
  const { uid, gid } = await stat(directory);
  const { key, cert } = serverAuthority.issue('server');
  const contents = { cert, key, ca: clientAuthority.cert };
  const paths = Object.keys(contents).map((name) => [name, join(directory, `${name}.pem`)] as const);
  for (const [name, path] of paths) {
    await writeFile(path, contents[name as keyof typeof contents], { mode: 0o600 });
    // Postgres refuses a key that others may read, and does not run as root.
    await chown(path, uid, gid);
  }
  return Object.fromEntries(paths) as typeof contents;
}

/** A Postgres that accepts TLS only with a client certificate of {@link clientAuthority}. */
export async function startCertifiedPostgres(): Promise<EmbeddedPostgres> {
  const dataDir = await mkdtemp(DIRECTORY);
  const server = await startEmbeddedPostgres({ dataDir, logger: silentLogger });
  await onServer(server.url, async (client) => {
    const { rows } = await client.query<{ path: string }>(`SELECT current_setting('data_directory') AS path`);
    const { path = '' } = rows[0] ?? {};
    const { cert, key, ca } = await writeServerFiles(path);
    await client.query(`ALTER SYSTEM SET ssl_cert_file = '${cert}'`);
    await client.query(`ALTER SYSTEM SET ssl_key_file = '${key}'`);
    await client.query(`ALTER SYSTEM SET ssl_ca_file = '${ca}'`);
    await client.query(`ALTER SYSTEM SET ssl = on`);
    const rules = join(path, 'pg_hba.conf');
    // The owner of the server keeps its way without TLS.
    const others = await readFile(rules, 'utf8');
    await writeFile(rules, `hostssl all all 127.0.0.1/32 trust clientcert=verify-ca\n${others}`);
    await client.query('SELECT pg_reload_conf()');
  });
  return { url: server.url, stop: () => server.stop().then(() => removed(dataDir)) };
}

/** A Redis that accepts TLS with a client certificate of {@link clientAuthority} only. */
export async function startCertifiedRedis(): Promise<TestRedis & { readonly tlsUrl: string }> {
  const directory = await mkdtemp(DIRECTORY);
  const { cert, key, ca } = await writeServerFiles(directory);
  const port = await freePort();
  const files = ['--tls-cert-file', cert, '--tls-key-file', key, '--tls-ca-cert-file', ca];
  const redis = await startTestRedis('--tls-port', String(port), '--tls-auth-clients', 'yes', ...files);
  const stop = redis.stop.bind(redis);
  return Object.assign(redis, {
    tlsUrl: `rediss://127.0.0.1:${port}/0`,
    stop: () => stop().then(() => removed(directory)),
  });
}

function removed(directory: string): Promise<void> {
  return rm(directory, { recursive: true, force: true });
}

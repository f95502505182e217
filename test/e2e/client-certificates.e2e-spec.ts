import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { type Server } from 'node:tls';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type EmbeddedPostgres } from '@adapters/postgres';
import { createAuthority } from '@devkit';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  clientAuthority,
  serverAuthority,
  startCertifiedPostgres,
  startCertifiedRedis,
  writeCertificates,
} from '../support/certified-servers.js';
import { createPodWorld, type PodWorld, PROJECT } from '../support/pods.js';
import { executionThat, isOver, register, startSync } from '../support/service-resources.js';
import { startMutualTls } from '../support/tls-server.js';

const SERVERS = ['DATABASE', 'REDIS', 'QDRANT', 'EMBEDDING'] as const;

describe('a service whose servers all expect client certificates', () => {
  let directory: string;
  let world: PodWorld;
  let postgres: EmbeddedPostgres;
  let redis: Awaited<ReturnType<typeof startCertifiedRedis>>;
  const fronts: { server: Server; clients: string[] }[] = [];
  let env: Record<string, string>;
  let bare: string;
  let strange: string;

  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'repotide-certificates-'));
    [world, postgres, redis] = await Promise.all([
      createPodWorld(3),
      startCertifiedPostgres(),
      startCertifiedRedis(),
    ]);
    const front = async (url: string): Promise<string> => {
      const options = { ...serverAuthority.issue('server'), ca: [clientAuthority.cert] };
      const opened = await startMutualTls(Number(new URL(url).port), options);
      fronts.push(opened);
      return opened.url + new URL(url).pathname.replace(/\/$/, '');
    };
    const database = new URL(postgres.url);
    database.searchParams.delete('sslmode');
    env = {
      DATABASE_URL: database.href,
      REDIS_URL: redis.tlsUrl,
      QDRANT_URL: await front(world.qdrant.url),
      EMBEDDING_URL: await front(world.embedding.url),
    };
    for (const server of SERVERS)
      env[`${server}_TLS_DIR`] = await writeCertificates(join(directory, server), 'first');
    strange = await writeCertificates(join(directory, 'strange'), 'stranger', createAuthority('strangers'));
    bare = await mkdtemp(join(directory, 'bare-'));
    await writeFile(join(bare, 'ca.crt'), serverAuthority.cert);
  });
  afterAll(async () => {
    await world?.remove();
    for (const { server } of fronts) server.close();
    await Promise.all([postgres?.stop(), redis?.stop()]);
    await rm(directory, { recursive: true, force: true });
  });

  /** Why the service does not start. */
  async function startFailure(changes: Record<string, string>): Promise<string> {
    const start = world.start('pod-refused', { ...env, ...changes });
    return start.then(
      async (pod) => (await pod.stop(), 'the service started'),
      (error: unknown) => String(error),
    );
  }

  it('syncs, and uses renewed certificates without a restart', async () => {
    const pod = await world.start('pod-a', env);
    const repository = await register(pod, PROJECT);
    const sync = async () => executionThat(pod, await startSync(pod, repository), isOver);
    expect(await sync()).toMatchObject({ status: 'completed', error_code: null });
    for (const server of SERVERS) await writeCertificates(join(directory, server), 'second');
    await world.write('words after the renewal');
    expect(await sync()).toMatchObject({ status: 'completed', error_code: null });
    for (const { clients } of fronts) expect(clients.at(-1)).toBe('second');
    await pod.stop();
  });

  it('lets the command line in with the same settings', async () => {
    const command = world.installation.run(['migrate'], env);
    expect({ code: await command.ended, stderr: command.stderr() }).toEqual({ code: 0, stderr: '' });
  });

  it.each(SERVERS)('refuses it without a certificate for %s, and with that of a stranger', async (server) => {
    const setting = `${server}_TLS_DIR`;
    // Then the embedding server is asked at start.
    const changes: Record<string, string> =
      server === 'EMBEDDING' ? { EMBEDDING_MODEL: 'unknown', EMBEDDING_DIMENSIONS: '' } : {};
    for (const found of [bare, strange]) {
      if (server === 'QDRANT') {
        const pod = await world.start('pod-refused', { ...env, [setting]: found });
        const { body } = await pod.call('GET', '/health/ready');
        expect(JSON.stringify(body)).toMatch(/"unavailable|"down|"failed/i);
        await pod.stop();
        continue;
      }
      expect(await startFailure({ ...changes, [setting]: found })).toMatch(
        new RegExp(`check tls.crt and tls.key in ${setting}`),
      );
    }
  });

  it('does not start with certificates that cannot be used, and names all of them at once', async () => {
    const mixed = await writeCertificates(join(directory, 'mixed'), 'mixed');
    await writeFile(join(mixed, 'tls.key'), clientAuthority.issue('other').key);
    const failure = await startFailure({
      DATABASE_TLS_DIR: mixed,
      REDIS_TLS_DIR: join(directory, 'missing'),
      QDRANT_URL: 'http://127.0.0.1:6333',
    });
    expect(failure).toContain('QDRANT_URL: found a URL without TLS; expected a URL that begins with https:');
    const others = await startFailure({ DATABASE_TLS_DIR: mixed, REDIS_TLS_DIR: join(directory, 'missing') });
    expect(others).toMatch(/DATABASE_TLS_DIR: found .*tls.key is not the key of the certificate in tls.crt/);
    expect(others).toMatch(/REDIS_TLS_DIR: found .*there is no such directory/);
  });
});

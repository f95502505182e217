import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { parse } from 'yaml';
import { loadConfig } from '@platform/config';
import {
  COMPOSE_FOLDER,
  composeText,
  exampleVariables,
  interpolate,
  variablesOf,
  type ComposeFile,
} from './compose-file.js';

const run = promisify(execFile);
const REPOSITORY = join(COMPOSE_FOLDER, '../..');
const SECRET = 'c1f07a93e5b24d68901af3d27be6548c';

let text: string;
let example: Record<string, string>;
let file: ComposeFile;

beforeAll(async () => {
  text = await composeText();
  example = await exampleVariables();
  const env = Object.entries(example).map(([name, value]) => [name, value || SECRET]);
  file = interpolate(text, Object.fromEntries(env) as Record<string, string>);
});

/** Where the servers of the service listen, by their hosts in its settings. */
const PORTS: Record<string, string> = { postgres: '5432', redis: '6379', qdrant: '6333', embeddings: '80' };

describe('the compose file', () => {
  it('uses each variable of .env.example, and requires a value for each that has none there', () => {
    const used = variablesOf(text);
    const names = used.map(({ name }) => name);
    expect(names).toEqual(expect.arrayContaining(Object.keys(example)));
    const required = used.filter(({ isRequired }) => isRequired).map(({ name }) => name);
    const empty = Object.keys(example).filter((name) => example[name] === '' && name !== 'GITLAB_TOKEN');
    expect([...new Set(required)].sort()).toEqual(empty.sort());
  });

  it('does not start with the example as it is', () => {
    expect(() => interpolate(text, example)).toThrow(/POSTGRES_PASSWORD is missing a value/);
  });

  it('gives the service settings that it accepts, without a warning, for all of its servers', () => {
    const { environment } = file.services['repotide']!;
    const settings = Object.entries(environment).map(([name, value]) => [name, String(value)]);
    const config = loadConfig(Object.fromEntries(settings) as Record<string, string>);
    expect(config.warnings).toEqual([]);
    expect(config.mode).toBe('distributed');
    for (const name of ['DATABASE_URL', 'REDIS_URL', 'QDRANT_URL', 'EMBEDDING_URL']) {
      const { hostname, port } = new URL(environment[name]!.replace(/^\w+:/, 'http:'));
      expect(Object.keys(file.services)).toContain(hostname);
      expect({ hostname, port: port || '80' }).toEqual({ hostname, port: PORTS[hostname] });
    }
  });

  it('starts the service after servers that are healthy, and checks the health of each', () => {
    const { repotide, ...servers } = file.services;
    expect(Object.keys(repotide!.depends_on ?? {}).sort()).toEqual(Object.keys(servers).sort());
    for (const { condition } of Object.values(repotide!.depends_on ?? {}))
      expect(condition).toBe('service_healthy');
    for (const [name, { healthcheck }] of Object.entries(file.services)) {
      expect({ name, healthcheck }).toMatchObject({
        healthcheck: { test: expect.any(Array), interval: expect.any(String), retries: expect.any(Number) },
      });
    }
  });

  it('has the versions of the servers that the chart has, and the version of the image', async () => {
    const values = parse(await readFile(join(REPOSITORY, 'deploy/helm/repotide/values.yaml'), 'utf8')) as {
      trial: { images: Record<string, string> };
    };
    for (const [name, image] of Object.entries(values.trial.images))
      expect([name, file.services[name]?.image]).toEqual([name, image]);
    const { version } = JSON.parse(await readFile(join(REPOSITORY, 'package.json'), 'utf8')) as {
      version: string;
    };
    expect(file.services['repotide']?.image).toBe(`repotide:${version}`);
  });

  it('keeps the data of each server in a volume, and publishes the API on this machine alone', () => {
    const named = Object.values(file.services).flatMap(({ volumes = [] }) =>
      volumes.map((each) => each.split(':')[0]!).filter((source) => !source.startsWith('.')),
    );
    expect(named.sort()).toEqual(Object.keys(file.volumes).sort());
    const published = Object.values(file.services).flatMap(({ ports = [] }) => ports);
    expect(published).toEqual(['127.0.0.1:3000:3000']);
  });

  it.each([
    ['repotide', 3000],
    ['qdrant', 6333],
    ['embeddings', 80],
  ])('tells a healthy %s from one that is not', async (name, port) => {
    const server = createServer((_, response) => response.writeHead(status).end('ready'));
    let status = 200;
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const [, program, ...args] = file.services[name]!.healthcheck!.test;
    const actual = args.map((each) =>
      each
        .replace(`127.0.0.1:${port}`, `127.0.0.1:${(server.address() as AddressInfo).port}`)
        .replace(`127.0.0.1/${port}`, `127.0.0.1/${(server.address() as AddressInfo).port}`),
    );
    expect(actual).not.toEqual(args);
    const isHealthy = () =>
      run(program!, actual).then(
        () => true,
        () => false,
      );
    try {
      expect(await isHealthy()).toBe(true);
      status = 503;
      expect(await isHealthy()).toBe(false);
    } finally {
      server.closeAllConnections();
      server.close();
    }
    expect(await isHealthy()).toBe(false);
  });
});

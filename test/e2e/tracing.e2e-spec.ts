import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import {
  createGitRepository,
  startEmbeddingStandIn,
  startGitLabStandIn,
  startQdrantDouble,
  type EmbeddingStandIn,
  type GitLabStandIn,
} from '@devkit';
import { until } from '../support/command-line.js';
import { createInstallation, type Installation } from '../support/installation.js';
import { type OtlpReceiver, type ReceivedSpan, startOtlpReceiver } from '../support/otlp-receiver.js';
import { plantedSecrets } from '../support/planted-secrets.js';
import { executionThat, isOver, register, startSync } from '../support/service-resources.js';

const TRACE_ID = '0af7651916cd43dd8448eb211c80319c';
const TRACEPARENT = `00-${TRACE_ID}-b7ad6b7169203331-01`;
const RECEIVER_KEY = 'key-of-the-receiver';
const PLANTED = plantedSecrets(11);

let directory: string;
let gitlab: GitLabStandIn;
let embedding: EmbeddingStandIn;
let qdrant: Awaited<ReturnType<typeof startQdrantDouble>>;
let receiver: OtlpReceiver;
let installation: Installation;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'repotide-tracing-'));
  const git = await createGitRepository(join(directory, 'git'));
  for (const { path, text } of PLANTED) git.write(path, text);
  git.write('src/very-own-file.ts', 'export const value = 1;\n');
  await git.commit('Files');
  gitlab = await startGitLabStandIn();
  await gitlab.addProject({ path: 'group/project', gitDir: git.directory, defaultBranch: 'main' });
  embedding = await startEmbeddingStandIn();
  qdrant = await startQdrantDouble();
});

afterAll(async () => {
  await gitlab.stop();
  await embedding.stop();
  await qdrant.close();
  await rm(directory, { recursive: true, force: true });
});

beforeEach(async () => {
  receiver = await startOtlpReceiver();
  installation = await createInstallation({
    GITLAB_URL: gitlab.url,
    GITLAB_TOKEN: gitlab.token,
    EMBEDDING_URL: embedding.url,
    QDRANT_URL: qdrant.url,
    OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url,
    OTEL_EXPORTER_OTLP_HEADERS: `authorization=Bearer%20${RECEIVER_KEY}`,
    OTEL_BSP_SCHEDULE_DELAY: '100',
  });
});

afterEach(async () => {
  await installation.remove();
  await receiver.stop();
});

/** Runs a first sync to its end. @returns its execution. */
async function syncOnce(service: Awaited<ReturnType<Installation['serve']>>) {
  const execution = await startSync(service, await register(service, 'group/project'));
  return executionThat(service, execution, isOver);
}

const named = (spans: readonly ReceivedSpan[], name: string): ReceivedSpan[] =>
  spans.filter((span) => span.name === name);

describe('traces', () => {
  it('show a run as one tree: its stages and its calls by host, with ids and without content', async () => {
    const service = await installation.serve();
    const { id } = await syncOnce(service);
    expect(await service.stop()).toBe(0);

    const spans = receiver.spans();
    const [root, ...others] = named(spans, 'execution');
    expect(others).toEqual([]);
    expect(root).not.toHaveProperty('parentSpanId');
    expect(root!.attributes).toMatchObject({
      'repotide.execution_id': id,
      'repotide.repository_id': expect.any(String),
      'repotide.trigger': 'manual',
      'repotide.attempt': 1,
      'repotide.status': 'completed',
    });
    const tree = spans.filter(({ traceId }) => traceId === root!.traceId);
    const ids = new Set(tree.map(({ spanId }) => spanId));
    for (const span of tree) expect(span === root || ids.has(span.parentSpanId!)).toBe(true);
    for (const stage of ['plan', 'fetch', 'embed', 'store', 'sweep', 'record']) {
      expect(named(tree, stage).map(({ parentSpanId }) => parentSpanId)).toContain(root!.spanId);
    }
    const hostsOf = (name: string) => new Set(named(tree, name).map(hostOf));
    expect(hostsOf('source headOf')).toEqual(new Set([new URL(gitlab.url).host]));
    expect(hostsOf('embedder embed')).toEqual(new Set([new URL(embedding.url).host]));
    expect(hostsOf('vectors upsert')).toEqual(new Set([new URL(qdrant.url).host]));
    const [embed] = named(tree, 'embedder embed');
    expect(named(tree, 'embed').map(({ spanId }) => spanId)).toContain(embed!.parentSpanId);
    const reading = tree.find(({ name }) => /^source read/.test(name));
    expect(named(tree, 'fetch').map(({ spanId }) => spanId)).toContain(reading!.parentSpanId);

    const runLines = jsonLines(service.command.stdout()).filter((line) => line['execution_id'] === id);
    const ended = runLines.find(({ msg }) => msg === 'run ended');
    expect(ended).toMatchObject({ trace_id: root!.traceId });
    expect(service.command.stdout()).not.toContain(RECEIVER_KEY);
    expect(receiver.text()).toContain(`Bearer ${RECEIVER_KEY}`);

    const sent = JSON.stringify(spans);
    expect(sent).not.toContain('very-own-file');
    expect(sent).not.toContain(gitlab.token);
    for (const { secret } of PLANTED) expect(sent).not.toContain(JSON.stringify(secret).slice(1, -1));
  });

  it('continue the trace of a request, and name its route without values', async () => {
    const service = await installation.serve();
    const { id } = await register(service, 'group/project');
    const answer = await fetch(`${service.url}/api/v1/repositories/${id}?words=private`, {
      headers: { Authorization: 'Bearer admin-token-of-the-tests', traceparent: TRACEPARENT },
    });
    expect(answer.status).toBe(200);
    await fetch(`${service.url}/health/ready`);
    expect(await service.stop()).toBe(0);

    const [request] = receiver.spans().filter(({ traceId }) => traceId === TRACE_ID);
    expect(request).toMatchObject({
      name: 'GET /api/v1/repositories/:id',
      parentSpanId: 'b7ad6b7169203331',
      attributes: { 'http.route': '/api/v1/repositories/:id', 'http.response.status_code': 200 },
    });
    expect(receiver.text()).not.toMatch(/words=private|health/);
    const line = jsonLines(service.command.stdout()).find(
      ({ path }) => path === `/api/v1/repositories/${id}`,
    );
    expect(line).toMatchObject({ msg: 'Request answered', trace_id: TRACE_ID });
  });

  it.each(['hangs', 'is down'])(
    'delay neither a run nor a shutdown when their receiver %s',
    async (trouble) => {
      if (trouble === 'hangs') receiver.hang();
      else await receiver.stop();
      const service = await installation.serve({ SHUTDOWN_GRACE_SECONDS: '60' });
      const { status } = await syncOnce(service);
      expect(status).toBe('completed');
      if (trouble === 'hangs') await until('a batch to hang', () => receiver.requests() > 0);
      expect(await service.stop()).toBe(0);
      expect(service.command.stdout()).not.toContain('did not stop within the grace period');
    },
  );

  it('are off without an endpoint, and log lines have no trace id', async () => {
    const service = await installation.serve({ OTEL_EXPORTER_OTLP_ENDPOINT: '' });
    await syncOnce(service);
    expect(service.command.stdout()).not.toContain('trace_id');
    expect(await service.stop()).toBe(0);
    expect(receiver.requests()).toBe(0);
  });
});

function hostOf({ attributes }: ReceivedSpan): unknown {
  return attributes['server.address'];
}

function jsonLines(text: string): Record<string, unknown>[] {
  return text
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line) as Record<string, unknown>);
}

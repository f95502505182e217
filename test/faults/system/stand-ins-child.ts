/** Runs GitLab, the embedding server and Qdrant in one separate process, so that their load does not slow the harness. */
import { createHash } from 'node:crypto';
import {
  type EmbeddingEffect,
  type EmbeddingStandIn,
  type FaultSet,
  type GitLabStandIn,
  type QdrantDouble,
  startEmbeddingStandIn,
  startGitLabStandIn,
  startQdrantDouble,
} from '@devkit';
import {
  type HeldPoint,
  type StandInAnswerMessage,
  type StandInCalls,
  type StandInLog,
  type StandInRequestMessage,
  type StoreWrite,
} from './stand-ins-protocol.js';

const UPSERT = 'upsert_points';
const WRITES = [UPSERT, 'delete_points'];
/** Long enough that requests which a proxy holds back for minutes still arrive. */
const KEEP_ALIVE_MS = 600_000;
/** Bytes per step of a slow answer: about a batch of vectors. */
const DRIP_BYTES = 65_536;

let gitlab: GitLabStandIn;
let embedding: EmbeddingStandIn;
let qdrant: QdrantDouble;
let slowness = 0;

const calls: StandInCalls = {
  async start() {
    [gitlab, embedding, qdrant] = await Promise.all([
      startGitLabStandIn(),
      startEmbeddingStandIn(),
      startQdrantDouble({ keepAliveMs: KEEP_ALIVE_MS }),
    ]);
    return {
      gitlabUrl: gitlab.url,
      gitlabToken: gitlab.token,
      embeddingUrl: embedding.url,
      qdrantUrl: qdrant.url,
    };
  },
  async addProject(options) {
    const { id, path } = await gitlab.addProject(options);
    return { id, path };
  },
  async addFault(name, fault) {
    const faults: FaultSet<EmbeddingEffect> = name === 'gitlab' ? gitlab.faults : embedding.faults;
    // The slowness matches every request and would apply before the new fault.
    faults.clear();
    faults.add(fault);
    if (name === 'embedding') applySlowness();
  },
  async addQdrantFault(fault) {
    qdrant.plan(fault);
  },
  async clearFaults(name) {
    if (name === 'qdrant') return qdrant.clearFaults();
    if (name === 'gitlab') return gitlab.faults.clear();
    embedding.faults.clear();
    applySlowness();
  },
  async slowDown(milliseconds) {
    slowness = milliseconds;
    embedding.faults.clear();
    applySlowness();
  },
  async points() {
    return qdrant
      .collectionNames()
      .flatMap((name) => qdrant.collection(name)?.points ?? [])
      .map(({ id, payload }) => heldPoint(String(id), payload));
  },
  async drainLog() {
    const log = readLog();
    gitlab.resetLog();
    embedding.resetLog();
    qdrant.clearRequests();
    return log;
  },
  async stop() {
    await Promise.all([gitlab.stop(), embedding.stop(), qdrant.close()]);
    process.disconnect();
  },
};

function applySlowness(): void {
  if (slowness === 0) return;
  embedding.faults.add({
    method: 'POST',
    effect: { kind: 'drip', chunkBytes: DRIP_BYTES, everyMs: slowness },
  });
}

function readLog(): StandInLog {
  const failures = [...gitlab.requests, ...embedding.requests].flatMap(({ failure }) => failure ?? []);
  return {
    storeWrites: qdrant.requests.filter(({ operationId }) => WRITES.includes(operationId)).map(storeWrite),
    embeddedTexts: embedding.work.flatMap(({ contentHashes }) => contentHashes),
    gitlabRequests: gitlab.requests.length,
    struck: {
      gitlab: gitlab.requests.filter(({ fault }) => fault !== null).length,
      embedding: embedding.requests.filter(({ fault }) => fault !== null && fault !== 'drip').length,
      qdrant: qdrant.requests.filter(({ status }) => status === null || status >= 500).length,
    },
    violations: [...failures, ...qdrant.violations],
  };
}

function storeWrite({ at, operationId, body }: QdrantDouble['requests'][number]): StoreWrite {
  const points = operationId === UPSERT ? ((body as { points?: SentPoint[] } | undefined)?.points ?? []) : [];
  const first = points[0]?.payload;
  return {
    at,
    operation: operationId,
    repositoryId: first?.repository_id ?? null,
    fence: first?.fence ?? null,
    points: points.length,
  };
}

interface SentPoint {
  payload?: { repository_id: string; fence: number };
}

function heldPoint(id: string, payload: Record<string, unknown>): HeldPoint {
  const { text, ...rest } = payload;
  const text_hash = createHash('sha256').update(String(text)).digest('hex');
  return { ...(rest as Omit<HeldPoint, 'id' | 'text_hash'>), id, text_hash };
}

async function answer({ number, name, parameters }: StandInRequestMessage): Promise<void> {
  const known = calls as unknown as Record<string, (...parameters: unknown[]) => Promise<unknown>>;
  const message: StandInAnswerMessage = await known[name]!(...parameters).then(
    (result) => ({ number, result }),
    (thrown: unknown) => ({
      number,
      failure: thrown instanceof Error ? String(thrown.stack) : String(thrown),
    }),
  );
  if (process.connected) process.send?.(message);
}

process.on('message', (message) => void answer(message as StandInRequestMessage));
// The parent process has ended.
process.on('disconnect', () => process.exit(0));

import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import {
  createIndexWorld,
  PROJECT,
  runToItsEnd,
  type IndexWorld,
  type ReportedRow,
} from '../support/index-world.js';
import { type Service } from '../support/installation.js';
import {
  executionThat,
  isOver,
  register,
  type List,
  type RepositoryRow,
} from '../support/service-resources.js';
import { UNKNOWN_ID } from '../support/registration.js';

/** One of three files fits; each has a hundred tokens. */
const TOKENS = 150;

let world: IndexWorld;
let service: Service;
let operator: string;
let repository: RepositoryRow;
let words = 0;

beforeAll(async () => {
  world = await createIndexWorld();
  await write();
  service = await world.installation.serve();
  const asked = { name: 'operator', role: 'operator' };
  operator = (await service.post<{ token: string }>('/api/v1/tokens', asked)).token;
  repository = await register(service, PROJECT);
});
beforeEach(async () => {
  world.gitlab.faults.clear();
  world.embedding.faults.clear();
  await write();
});
afterAll(() => world?.remove());

async function write(): Promise<void> {
  words++;
  for (const name of ['one', 'two', 'three'])
    world.git.write(`${name}.txt`, `${name} ${words} `.padEnd(300, '.'));
  await world.git.commit(`Words ${words}`);
}

const sync = (body?: object) => runToItsEnd(service, `/api/v1/repositories/${repository.id}/sync`, body);

interface RetryBody extends ReportedRow {
  code?: string;
}
async function retry(id: string, key?: string): Promise<{ status: number; body: RetryBody }> {
  const headers = {
    Authorization: `Bearer ${operator}`,
    ...(key !== undefined && { 'Idempotency-Key': key }),
  };
  const answer = await fetch(`${service.url}/api/v1/executions/${id}/retry`, { method: 'POST', headers });
  return { status: answer.status, body: (await answer.json()) as RetryBody };
}

const endOf = async (id: string): Promise<ReportedRow> =>
  (await executionThat(service, id, isOver)) as ReportedRow;

async function failed(body?: object): Promise<ReportedRow> {
  const clear = world.gitlab.faults.add({ effect: { kind: 'status', status: 401 } });
  const row = await sync(body);
  clear();
  expect(row.status).toBe('failed');
  return row;
}

describe('a retry', () => {
  it('repeats a failed run as a new execution that names it and its caller', async () => {
    const former = await failed();
    const { status, body } = await retry(former.id);
    expect(status).toBe(202);
    expect(body).toMatchObject({
      retry_of_execution_id: former.id,
      trigger: 'manual',
      requested_by: 'operator',
      handler: 'repository_sync',
      error_code: null,
    });
    expect(body.id).not.toBe(former.id);
    expect(await endOf(body.id)).toMatchObject({ status: 'completed' });
    expect(await endOf(former.id)).toMatchObject({ status: 'failed', error_code: former.error_code });
  });

  it('keeps the settings of the run: a full sync, its token budget, a verify with repair', async () => {
    const full = await retry((await failed({ full: true })).id);
    expect(full.body).toMatchObject({ full_sync: true, handler: 'repository_sync' });
    await endOf(full.body.id);

    await write();
    const partial = await sync({ max_embedding_tokens: TOKENS });
    expect(partial).toMatchObject({ status: 'partial', error_code: 'budget_reached' });
    const next = await retry(partial.id);
    expect(next.body).toMatchObject({ max_embedding_tokens: TOKENS, retry_of_execution_id: partial.id });
    expect(await endOf(next.body.id)).toMatchObject({ status: 'partial', files_processed: 1 });

    const clear = world.gitlab.faults.add({ effect: { kind: 'status', status: 401 } });
    const repair = await runToItsEnd(service, `/api/v1/repositories/${repository.id}/verify`, {
      repair: true,
    });
    clear();
    const repaired = await retry(repair.id);
    expect(repaired.body).toMatchObject({ handler: 'repair' });
    await endOf(repaired.body.id);
  });

  it('repeats a cancelled run; while another run is active it is refused and names that run', async () => {
    world.embedding.faults.add({ method: 'POST', effect: { kind: 'stall' } });
    const start = () =>
      service.post<{ execution_id: string }>(`/api/v1/repositories/${repository.id}/sync`, {});
    const { execution_id: first } = await start();
    await executionThat(service, first, ({ status }) => status === 'running');
    expect(await retry(first)).toMatchObject({ status: 409, body: { code: 'execution_not_retryable' } });
    await service.post(`/api/v1/executions/${first}/cancel`);
    expect(await endOf(first)).toMatchObject({ status: 'cancelled' });

    const { execution_id: second } = await start();
    await executionThat(service, second, ({ status }) => status === 'running');
    expect(await retry(first)).toMatchObject({
      status: 409,
      body: { code: 'run_in_progress', execution_id: second },
    });
    await service.post(`/api/v1/executions/${second}/cancel`);
    await endOf(second);
    world.embedding.faults.clear();
    const { status, body } = await retry(first);
    expect(status).toBe(202);
    expect(await endOf(body.id)).toMatchObject({ status: 'completed', retry_of_execution_id: first });
  });

  it('is refused for a completed run, with what to do instead, and for an unknown one', async () => {
    const done = await sync();
    const refused = await retry(done.id);
    expect(refused).toMatchObject({
      status: 409,
      body: { code: 'execution_not_retryable', detail: expect.stringContaining('request a sync') },
    });
    expect(await retry(UNKNOWN_ID)).toMatchObject({ status: 404, body: { code: 'execution_not_found' } });
  });

  it('makes one execution for an idempotency key', async () => {
    const [former, other] = [await failed(), await failed()];
    const first = await retry(former.id, 'retry-1');
    await endOf(first.body.id);
    const again = await retry(former.id, 'retry-1');
    expect([again.status, again.body.id]).toEqual([202, first.body.id]);
    expect(await retry(other.id, 'retry-1')).toMatchObject({
      status: 422,
      body: { code: 'idempotency_key_reused' },
    });
  });

  it('requires the role operator, and is in the audit log', async () => {
    const { token } = await service.post<{ token: string }>('/api/v1/tokens', {
      name: 'reader',
      role: 'viewer',
    });
    const former = await failed();
    const path = `/api/v1/executions/${former.id}/retry`;
    expect(await service.call('POST', path, undefined, token)).toMatchObject({ status: 403 });
    const { body } = await retry(former.id);
    await endOf(body.id);
    const { items } = await service.get<List<Record<string, unknown>>>(
      `/api/v1/audit?action=execution.retry&limit=100`,
    );
    expect(items[0]).toMatchObject({
      actor_name: 'operator',
      subject_id: former.id,
      outcome: 'succeeded',
    });
  });
});

import { connectDatabase } from '@adapters/postgres';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { until } from '../support/command-line.js';
import { type EventReceiver, isSignedWith, startEventReceiver } from '../support/event-receiver.js';
import { createPodWorld, type PodService, type PodWorld, PROJECT } from '../support/pods.js';
import {
  executionThat,
  isOver,
  type List,
  register,
  type RepositoryRow,
  startSync,
} from '../support/service-resources.js';
import { silentLogger } from '../support/silent-logger.js';

interface Webhook {
  id: string;
  secret: string;
  is_enabled: boolean;
  disabled_reason: string | null;
  failing_since: string | null;
}
interface Delivery {
  id: string;
  event_type: string;
  status: string;
  attempts: number;
  response_status: number | null;
  error: string | null;
}

const WEBHOOKS = '/api/v1/event-webhooks';

let world: PodWorld;
let receiver: EventReceiver;
let pod: PodService;
let repository: RepositoryRow;
let env: Record<string, string>;
let counter = 0;

beforeAll(async () => {
  [world, receiver] = await Promise.all([createPodWorld(3), startEventReceiver()]);
  env = { OUTGOING_ALLOWED_HOSTS: receiver.url, REPOTIDE_ENCRYPTION_KEY: 'a key of these tests alone' };
  pod = await world.start('pod-first', env);
  repository = await register(pod, PROJECT);
});
afterAll(async () => {
  await world?.remove();
  await receiver?.stop();
});
beforeEach(async () => {
  const { items } = await pod.get<List<Webhook>>(WEBHOOKS);
  for (const { id } of items) await pod.call('DELETE', `${WEBHOOKS}/${id}`);
  Object.assign(receiver, { status: 204, headers: {} });
  receiver.events.length = 0;
});

function subscribe(body: object = {}): Promise<Webhook> {
  counter += 1;
  return pod.post(WEBHOOKS, {
    name: `hook ${counter}`,
    url: `${receiver.url}/in`,
    events: ['run.finished'],
    ...body,
  });
}
const deliveriesOf = async ({ id }: Webhook): Promise<Delivery[]> =>
  (await pod.get<List<Delivery>>(`${WEBHOOKS}/${id}/deliveries`)).items;
const show = ({ id }: Webhook): Promise<Webhook> => pod.get(`${WEBHOOKS}/${id}`);
const sync = async (): Promise<string> => {
  const id = await startSync(pod, repository);
  await executionThat(pod, id, isOver);
  return id;
};
/** Runs a statement in the database of the pods. */
async function execute<Row extends object>(sql: string): Promise<Row[]> {
  const database = await connectDatabase({ url: world.databaseUrl, poolSize: 1, logger: silentLogger });
  return database.query<Row>(sql).finally(() => database.close());
}
const received = (number: number) => until(`${number} events`, () => receiver.events.length >= number);
/** Moves the next attempt to now, instead of waiting for its back-off. */
const hurry = () =>
  execute(`UPDATE event_deliveries SET next_attempt_at = clock_timestamp() WHERE status = 'pending'`);

describe('webhooks for events', () => {
  it('receive each finished run once, signed over id, time and body', async () => {
    const webhook = await subscribe();
    const executionId = await sync();
    await received(1);
    const [event] = receiver.events;
    expect(event).toMatchObject({
      type: 'run.finished',
      data: {
        ...{ execution_id: executionId, repository_id: repository.id, project_path: PROJECT, branch: 'main' },
        ...{ status: 'completed', trigger: 'manual', error_code: null },
      },
    });
    expect(isSignedWith(webhook.secret, event!)).toBe(true);
    expect(isSignedWith(`whsec_${Buffer.alloc(32).toString('base64')}`, event!)).toBe(false);
    const [delivery] = await deliveriesOf(webhook);
    expect(delivery).toMatchObject({ id: event!.headers['webhook-id'], status: 'delivered', attempts: 1 });
  });

  it('receive only events of repositories in their scope', async () => {
    const outside = await subscribe({ scope: ['another-team'] });
    const inside = await subscribe({ scope: ['team'] });
    await sync();
    await received(1);
    expect(await deliveriesOf(inside)).toHaveLength(1);
    expect(await deliveriesOf(outside)).toEqual([]);
  });

  it('receive the turn of a repository to failing and back, once each', async () => {
    await subscribe({ events: ['repository.failing', 'repository.recovered'] });
    const clear = world.gitlab.faults.add({ effect: { kind: 'status', status: 401 } });
    await sync();
    const failed = await sync();
    clear();
    await sync();
    await sync();
    await received(2);
    expect(receiver.events.map(({ type }) => type)).toEqual(['repository.failing', 'repository.recovered']);
    expect(receiver.events[0]!.data).toMatchObject({
      project_path: PROJECT,
      error_code: 'source_token_rejected',
    });
    expect(receiver.events[0]!.data['execution_id']).not.toBe(failed);
  });

  it('are tried again with the same id until the receiver answers 2xx', async () => {
    const webhook = await subscribe();
    receiver.status = 503;
    await sync();
    await received(1);
    await until('the failure to be recorded', async () => (await deliveriesOf(webhook))[0]?.error !== null);
    expect((await deliveriesOf(webhook))[0]).toMatchObject({
      ...{ status: 'pending', attempts: 1, response_status: 503, error: 'The receiver answered 503.' },
    });
    expect((await show(webhook)).failing_since).not.toBeNull();
    receiver.status = 200;
    await hurry();
    await received(2);
    expect(receiver.events[1]!.headers['webhook-id']).toBe(receiver.events[0]!.headers['webhook-id']);
    expect(receiver.events[1]!.body).toBe(receiver.events[0]!.body);
    await until(
      'the success to be recorded',
      async () => (await deliveriesOf(webhook))[0]?.status === 'delivered',
    );
    expect((await show(webhook)).failing_since).toBeNull();
  });

  it('follow no redirect', async () => {
    const webhook = await subscribe();
    Object.assign(receiver, { status: 307, headers: { location: `${receiver.url}/elsewhere` } });
    const tested = await pod.post<Delivery>(`${WEBHOOKS}/${webhook.id}/test`);
    expect(tested).toMatchObject({ status: 'failed', response_status: 307 });
    expect(tested.error).toContain('Redirects are not followed');
    expect(receiver.events).toHaveLength(1);
  });

  it('are disabled with a reason after days without a success, and continue once they are enabled', async () => {
    const webhook = await subscribe();
    receiver.status = 500;
    await sync();
    await received(1);
    await until('the failure to be recorded', async () => (await show(webhook)).failing_since !== null);
    await execute(`UPDATE event_webhooks SET failing_since = clock_timestamp() - interval '4 days'`);
    await hurry();
    await until('the webhook to be disabled', async () => !(await show(webhook)).is_enabled);
    expect((await show(webhook)).disabled_reason).toMatch(
      /^No delivery has succeeded since \d{4}-.* UTC\. The receiver answered 500\.$/,
    );
    const sent = receiver.events.length;
    await hurry();
    await sync();
    expect(receiver.events).toHaveLength(sent);
    receiver.status = 200;
    const enabled = await pod.call<Webhook>('PATCH', `${WEBHOOKS}/${webhook.id}`, { is_enabled: true });
    expect(enabled.body).toMatchObject({ is_enabled: true, disabled_reason: null });
    await received(sent + 1);
  });

  it('are disabled at once by a receiver that answers 410', async () => {
    const webhook = await subscribe();
    receiver.status = 410;
    await sync();
    await until('the webhook to be disabled', async () => !(await show(webhook)).is_enabled);
    expect((await show(webhook)).disabled_reason).toContain('The receiver answered 410.');
  });

  it('are refused at addresses that are not allowed, whose name is checked again when it is resolved', async () => {
    for (const url of [
      'http://127.0.0.1:1/',
      'https://169.254.169.254/',
      'https://localhost/',
      'file:///etc/passwd',
    ]) {
      const answer = await pod.call('POST', WEBHOOKS, { name: 'inside', url, events: ['run.finished'] });
      expect({ url, status: answer.status }).toEqual({ url, status: 422 });
    }
    const webhook = await subscribe();
    await execute(`UPDATE event_webhooks SET url = 'http://127.0.0.1:1/secret-path'`);
    const tested = await pod.post<Delivery>(`${WEBHOOKS}/${webhook.id}/test`);
    expect(tested.status).toBe('failed');
    expect(tested.error).not.toContain('secret-path');
  });

  it('keep their secret sealed in the database, and sign with a new one after its rotation', async () => {
    const webhook = await subscribe();
    const [row] = await execute<{ text: string }>('SELECT w::text AS text FROM event_webhooks w');
    expect(row!.text).not.toContain(Buffer.from(webhook.secret.slice(6), 'base64').toString('hex'));
    expect(JSON.stringify(await show(webhook))).not.toContain('whsec_');
    const { secret } = await pod.post<Webhook>(`${WEBHOOKS}/${webhook.id}/rotate-secret`);
    await pod.post(`${WEBHOOKS}/${webhook.id}/test`);
    expect(isSignedWith(secret, receiver.events[0]!)).toBe(true);
    expect(isSignedWith(webhook.secret, receiver.events[0]!)).toBe(false);
  });

  it('receive at least once an event whose pod is killed while it sends it', async () => {
    const webhook = await subscribe();
    receiver.status = null;
    await sync();
    await received(1);
    await pod.command.end('SIGKILL');
    receiver.status = 200;
    pod = await world.start('pod-second', env);
    await until('the other pod to send it', () => receiver.events.length >= 2);
    const ids = receiver.events.map(({ headers }) => headers['webhook-id']);
    expect(new Set(ids).size).toBe(1);
    await until(
      'the success to be recorded',
      async () => (await deliveriesOf(webhook))[0]?.status === 'delivered',
    );
    expect((await deliveriesOf(webhook))[0]).toMatchObject({ attempts: 2 });
  });
});

import { setTimeout as sleep } from 'node:timers/promises';
import { type Random } from '@devkit';
import { type Pod } from '../system/pod.js';
import { resumeScheduling } from '../check/settle.js';
import { type Fleet } from './fleet.js';

const EXPRESSIONS = [
  '* * * * *',
  '*/2 * * * *',
  '*/3 * * * *',
  '0,10,20,30,40,50 * * * *',
  '5,6,7,8,9,35 * * * *',
];
/** Mean pause between two deeds, in milliseconds. */
const PAUSE_MS = 250;
/** The grace of all schedules in milliseconds: shorter than the time that a tick may be late. */
const LONGEST_PAUSE_MS = 3_000;

type Deed = (fleet: Fleet, random: Random, pod: Pod) => Promise<void>;

/** Actions of users, with their relative frequencies. */
const DEEDS: readonly (readonly [number, string, Deed])[] = [
  [30, 'push', (fleet, random) => fleet.cluster.code.push(fleet.pick(random).branch)],
  [25, 'sync', (fleet, random, pod) => post(fleet, pod, `/repositories/${fleet.pick(random).id}/sync`)],
  [
    2,
    'full sync',
    (fleet, random, pod) => post(fleet, pod, `/repositories/${fleet.pick(random).id}/sync`, { full: true }),
  ],
  [12, 'edit', edit],
  [2, 'edits while no tick is claimed', editWhilePaused],
  [5, 'pause', (fleet, random, pod) => post(fleet, pod, `/schedules/${fleet.pickSchedule(random)}/pause`)],
  [10, 'resume', (fleet, random, pod) => post(fleet, pod, `/schedules/${fleet.pickSchedule(random)}/resume`)],
  [8, 'cancel', cancel],
  [1, 'delete schedule', deleteSchedule],
  [1, 'delete repository', deleteRepository],
];

/**
 * Calls random pods until the signal fires. Refused and unanswered requests are expected.
 * @param only the names of the deeds to do; absent: all.
 * @returns the number of deeds by name.
 */
export async function work(
  fleet: Fleet,
  random: Random,
  signal: AbortSignal,
  only?: readonly string[],
): Promise<Record<string, number>> {
  const deeds = DEEDS.filter(([, name]) => only === undefined || only.includes(name));
  const shares = deeds.reduce((sum, [share]) => sum + share, 0);
  const done: Record<string, number> = {};
  while (!signal.aborted) {
    await sleep(random.next() * 2 * PAUSE_MS, undefined, { signal }).catch(() => undefined);
    const { upPods } = fleet.cluster;
    if (signal.aborted || upPods.length === 0) continue;
    let share = random.below(shares);
    const [, name, deed] = deeds.find(([own]) => (share -= own) < 0)!;
    await deed(fleet, random, random.pick(upPods));
    done[name] = (done[name] ?? 0) + 1;
  }
  return done;
}

async function post({ cluster }: Fleet, pod: Pod, path: string, body: object = {}): Promise<void> {
  await cluster.api('POST', path, body, pod);
}

async function edit(fleet: Fleet, random: Random, pod: Pod): Promise<void> {
  await fleet.cluster.api(
    'PATCH',
    `/schedules/${fleet.pickSchedule(random)}`,
    { cron_expression: random.pick(EXPRESSIONS) },
    pod,
  );
}

/** What is due when the schedules are edited was claimed by no pod. */
async function editWhilePaused(fleet: Fleet, random: Random, pod: Pod): Promise<void> {
  const { cluster } = fleet;
  await cluster.api('PATCH', '/settings', { scheduling_paused: true }, pod);
  await sleep(random.next() * LONGEST_PAUSE_MS);
  for (let edits = 0; edits < 4; edits++) await edit(fleet, random, pod);
  await resumeScheduling(cluster);
}

async function cancel(fleet: Fleet, random: Random, pod: Pod): Promise<void> {
  const { body } = await fleet.cluster.api('GET', '/executions?status=running&limit=50', undefined, pod);
  const items = (body['items'] ?? []) as { id: string }[];
  if (items.length > 0) await post(fleet, pod, `/executions/${random.pick(items).id}/cancel`);
}

async function deleteSchedule(fleet: Fleet, random: Random, pod: Pod): Promise<void> {
  const entry = fleet.pick(random);
  const { status } = await fleet.cluster.api('DELETE', `/schedules/${entry.scheduleIds[0]}`, undefined, pod);
  if (status !== 204) return;
  const schedule = { repository_id: entry.id, cron_expression: '* * * * *' };
  const { body } = await fleet.cluster.api('POST', '/schedules', schedule, pod);
  if (typeof body['id'] === 'string') entry.scheduleIds[0] = body['id'];
}

/** Deletes a repository and registers it again, under another id. */
async function deleteRepository(fleet: Fleet, random: Random, pod: Pod): Promise<void> {
  const entry = fleet.pick(random);
  const { status } = await fleet.cluster.api('DELETE', `/repositories/${entry.id}`, undefined, pod);
  if (status >= 300 || status === 0) return;
  const position = fleet.registered.indexOf(entry);
  await fleet.register(entry.branch, '* * * * *').then(
    () => fleet.registered.splice(position, 1),
    // The registration got no answer. The fleet keeps the deleted repository, and requests to it are refused from now on.
    () => undefined,
  );
}

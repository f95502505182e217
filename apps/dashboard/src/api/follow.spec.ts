import { expect, it } from '@jest/globals';
import { followExecution } from './follow.js';

/** Answers each request with the next response. @returns the progress shown, and the Last-Event-ID of each request. */
async function follow(...answers: Response[]): Promise<{ shown: unknown[]; requested: (string | null)[] }> {
  const shown: unknown[] = [];
  const requested: (string | null)[] = [];
  const send = (_path: string, init?: RequestInit): Promise<Response> => {
    requested.push(new Headers(init?.headers).get('last-event-id'));
    return Promise.resolve(answers[requested.length - 1]!);
  };
  await followExecution({ send }, 'x', (progress) => shown.push(progress), new AbortController().signal);
  return { shown, requested };
}

it('followExecution shows progress events only and resumes a broken stream after the last event', async () => {
  const { shown, requested } = await follow(
    new Response(
      'id: 1\nevent: progress\ndata: {"progress":1}\n\nevent: dropped\ndata: {"dropped_events":7}\n\n',
    ),
    new Response('id: 2\nevent: progress\ndata: {"progress":100,"status":"completed"}\n\n'),
  );
  expect(shown).toEqual([{ progress: 1 }, { progress: 100, status: 'completed' }]);
  expect(requested).toEqual([null, '1']);
});

it('followExecution stops when the service answers 204', async () => {
  const { shown } = await follow(
    new Response('id: 1\nevent: progress\ndata: {"progress":1}\n\n'),
    new Response(null, { status: 204 }),
  );
  expect(shown).toEqual([{ progress: 1 }]);
});

import { expect, it } from '@jest/globals';
import { followExecution } from './follow.js';

/** A service whose streams are answered one after the other. @returns what was shown, and after which events it was asked. */
async function follow(...answers: Response[]): Promise<{ shown: unknown[]; asked: (string | null)[] }> {
  const shown: unknown[] = [];
  const asked: (string | null)[] = [];
  const send = (_path: string, init?: RequestInit): Promise<Response> => {
    asked.push(new Headers(init?.headers).get('last-event-id'));
    return Promise.resolve(answers[asked.length - 1]!);
  };
  await followExecution({ send }, 'x', (progress) => shown.push(progress), new AbortController().signal);
  return { shown, asked };
}

it('shows progress only, and goes on after the last event where a stream broke off', async () => {
  const { shown, asked } = await follow(
    new Response(
      'id: 1\nevent: progress\ndata: {"progress":1}\n\nevent: dropped\ndata: {"dropped_events":7}\n\n',
    ),
    new Response('id: 2\nevent: progress\ndata: {"progress":100,"status":"completed"}\n\n'),
  );
  expect(shown).toEqual([{ progress: 1 }, { progress: 100, status: 'completed' }]);
  expect(asked).toEqual([null, '1']);
});

it('asks no more once it hears that nothing comes', async () => {
  const { shown } = await follow(
    new Response('id: 1\nevent: progress\ndata: {"progress":1}\n\n'),
    new Response(null, { status: 204 }),
  );
  expect(shown).toEqual([{ progress: 1 }]);
});

import { type ClientRequest, type IncomingMessage, request } from 'node:http';
import { type Service } from './installation.js';

/** The fields of a progress event that tests read, or of an event that reports dropped ones. */
export interface SeenEvent {
  id: string | null;
  name: string;
  status: string;
  progress: number;
  message: string;
  processed_files: number;
  cancelled: boolean;
  dropped_events?: number;
}

export interface EventClient {
  readonly events: readonly SeenEvent[];
  /** Resolves when the connection has ended: true when the server ended it properly. */
  readonly ended: Promise<boolean>;
  /** Stops reading, so that further events are buffered at the server. */
  pause(): void;
  resume(): void;
  /** Destroys the socket without closing it properly. */
  vanish(): void;
}

type Target = Pick<Service, 'url'> & { token: string };

/** Follows an execution's server-sent events over its own connection. @throws when the status is not 200. */
export function followEvents(
  { url, token }: Target,
  executionId: string,
  lastEventId?: string,
): Promise<EventClient> {
  const headers: Record<string, string> = { Authorization: `Bearer ${token}` };
  if (lastEventId !== undefined) headers['Last-Event-ID'] = lastEventId;
  const sent = request(`${url}/api/v1/executions/${executionId}/events`, { headers, agent: false });
  return new Promise((resolve, reject) => {
    sent.on('error', reject);
    sent.on('response', (answer) => {
      if (answer.statusCode === 200) return resolve(read(sent, answer));
      answer.resume();
      reject(new Error(`The events were answered with ${answer.statusCode}.`));
    });
    sent.end();
  });
}

function read(sent: ClientRequest, answer: IncomingMessage): EventClient {
  const events: SeenEvent[] = [];
  let text = '';
  answer.setEncoding('utf8');
  answer.on('data', (part: string) => {
    const frames = (text + part).split('\n\n');
    text = frames.pop() ?? '';
    for (const frame of frames) {
      const event = parse(frame);
      if (event) events.push(event);
    }
  });
  const ended = new Promise<boolean>((resolve) => {
    answer.once('end', () => resolve(true));
    answer.once('error', () => resolve(false));
    answer.once('close', () => resolve(answer.complete));
  });
  return {
    events,
    ended,
    pause: () => void answer.pause(),
    resume: () => void answer.resume(),
    vanish: () => void sent.destroy(),
  };
}

/** Null for comments and settings of the stream. */
function parse(frame: string): SeenEvent | null {
  const data = /^data: (.*)$/m.exec(frame)?.[1];
  if (data === undefined) return null;
  const [id, name] = [/^id: (.*)$/m, /^event: (.*)$/m].map((field) => field.exec(frame)?.[1] ?? null);
  return { ...(JSON.parse(data) as SeenEvent), id: id ?? null, name: name ?? 'message' };
}

import { createHmac } from 'node:crypto';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import { type AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

export interface ReceivedEvent {
  headers: IncomingHttpHeaders;
  body: string;
  type: string;
  data: Record<string, unknown>;
}

/** A server that receives events. */
export interface EventReceiver {
  readonly url: string;
  readonly events: ReceivedEvent[];
  /** Status of the next answers; null: the request stays without an answer. */
  status: number | null;
  headers: Record<string, string>;
  stop(): Promise<void>;
}

export async function startEventReceiver(): Promise<EventReceiver> {
  const events: ReceivedEvent[] = [];
  const server = createServer((request, response) => {
    void text(request).then((body) => {
      events.push({
        headers: request.headers,
        body,
        ...(JSON.parse(body) as { type: string; data: object }),
      } as ReceivedEvent);
      if (receiver.status !== null)
        response.writeHead(receiver.status, receiver.headers).end('an answer that nobody reads');
    });
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  const receiver: EventReceiver = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    events,
    status: 204,
    headers: {},
    async stop() {
      server.closeAllConnections();
      await new Promise((resolve) => void server.close(resolve));
    },
  };
  return receiver;
}

/** Checks an event as a receiver does that follows the Standard Webhooks specification. */
export function isSignedWith(secret: string, { headers, body }: ReceivedEvent): boolean {
  const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64');
  const signed = `${String(headers['webhook-id'])}.${String(headers['webhook-timestamp'])}.${body}`;
  const expected = `v1,${createHmac('sha256', key).update(signed).digest('base64')}`;
  return String(headers['webhook-signature']).split(' ').includes(expected);
}

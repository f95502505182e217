import { type RedisServer } from './redis-server.js';

/** The majority: two pods can never both have it. */
export function quorumOf(servers: readonly unknown[]): number {
  return Math.floor(servers.length / 2) + 1;
}

export interface Failure {
  server: RedisServer;
  thrown: unknown;
}

export interface Replies<T> {
  successes: { server: RedisServer; value: T }[];
  failures: Failure[];
}

/** Sends a command to all servers at once. Never throws. */
export async function sendToAll<T>(
  servers: readonly RedisServer[],
  send: (server: RedisServer) => Promise<T>,
): Promise<Replies<T>> {
  const replies: Replies<T> = { successes: [], failures: [] };
  await Promise.all(
    servers.map(async (server) => {
      try {
        replies.successes.push({ server, value: await send(server) });
      } catch (thrown) {
        replies.failures.push({ server, thrown });
      }
    }),
  );
  return replies;
}

export function describeFailures(failures: readonly Failure[]): string {
  return failures.map(({ server, thrown }) => `${server.address}: ${server.reasonOf(thrown)}`).join('; ');
}

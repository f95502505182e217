import { type RedisServer } from './redis-server.js';

/** The majority, so that two pods can never both have it. */
export function quorumOf(servers: readonly unknown[]): number {
  return Math.floor(servers.length / 2) + 1;
}

export interface Failure {
  server: RedisServer;
  thrown: unknown;
}

export interface Replies<T> {
  answers: { server: RedisServer; value: T }[];
  failures: Failure[];
}

/** Sends a command to all servers at once. Never throws. */
export async function askAll<T>(
  servers: readonly RedisServer[],
  ask: (server: RedisServer) => Promise<T>,
): Promise<Replies<T>> {
  const replies: Replies<T> = { answers: [], failures: [] };
  await Promise.all(
    servers.map(async (server) => {
      try {
        replies.answers.push({ server, value: await ask(server) });
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

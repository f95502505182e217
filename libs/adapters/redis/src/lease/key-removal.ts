import { setTimeout as sleep } from 'node:timers/promises';
import { removeKey } from '../owned-key.js';
import { type RedisServer } from '../redis-server.js';

/**
 * A server that was frozen may read two connections in either order, so a `SET` that nobody waits for any more can
 * take effect after the first removal: the second one, sent after the first was answered, comes behind it.
 */
const ANSWERS_WANTED = 2;
const RETRY_MS = 250;

/** Removes keys from servers that did not answer, for as long as it takes them to. */
export class KeyRemoval {
  private readonly closing = new AbortController();

  /** Compare-and-delete in the background, until the server has answered. Never throws. */
  removeEventually(server: RedisServer, key: string, value: string): void {
    void this.remove(server, key, value).catch(() => undefined); // Only the end of this process stops it.
  }

  close(): void {
    this.closing.abort();
  }

  private async remove({ client }: RedisServer, key: string, value: string): Promise<void> {
    const { signal } = this.closing;
    for (let answers = 0; answers < ANSWERS_WANTED;) {
      const isAnswered = await removeKey(client, key, value).then(
        () => true,
        () => false,
      );
      if (isAnswered) answers++;
      await sleep(RETRY_MS, undefined, { signal, ref: false });
    }
  }
}

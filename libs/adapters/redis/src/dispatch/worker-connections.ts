import { type Logger } from '@core/domain';
import { type Redis } from 'ioredis';
import { waitForConnection } from '../connection-options.js';
import { type RedisConnections } from '../connect-redis.js';
import { disconnect, RedisServer } from '../redis-server.js';

/**
 * The worker's connection and the copies that BullMQ makes of it. BullMQ does not close the connection it was given, and
 * closing the worker never ends while Redis is down (taskforcesh/bullmq#3017), so all of them are closed here.
 */
export class WorkerConnections {
  private readonly copies: Redis[] = [];
  private readonly server: RedisServer;

  constructor(redis: RedisConnections, logger: Logger) {
    this.server = new RedisServer(redis.urls[0], waitForConnection(redis.settings), 'queue', logger);
    const { client } = this.server;
    const duplicate = client.duplicate.bind(client);
    client.duplicate = (override) => {
      const copy = duplicate(override);
      // It fails together with the original, which logs the error.
      copy.on('error', () => undefined);
      this.copies.push(copy);
      return copy;
    };
  }

  get client(): Redis {
    return this.server.client;
  }

  close(): void {
    for (const copy of this.copies) disconnect(copy);
    this.server.close();
  }
}

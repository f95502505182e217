import { Agent, type Dispatcher, Pool } from 'undici';
import { type OutgoingHosts } from './outgoing-hosts.js';

interface DispatcherOptions {
  pipelining: number;
  /** For a connection. */
  timeoutMs: number;
  /** Absent: every server may be requested. */
  outgoing: OutgoingHosts | undefined;
}

/** Shares connections per origin, because which addresses are allowed depends on scheme and port too. */
export function openDispatcher({ pipelining, timeoutMs, outgoing }: DispatcherOptions): Dispatcher {
  return new Agent({
    factory: (origin) => {
      const lookup = outgoing?.lookupFor(origin.toString());
      return new Pool(origin, { pipelining, connect: { timeout: timeoutMs, lookup } });
    },
  });
}

import { type Command } from 'commander';
import { connectTo, type Session } from '../service/client.js';
import { interruptSignal } from '../service/interrupt.js';
import { targetOf, type ServiceOptions } from '../service/target.js';

/** @returns the running service that the options and the environment name; null: there is none. */
export async function remoteSession(command: Command): Promise<Session | null> {
  const options = command.optsWithGlobals<ServiceOptions>();
  const target = await targetOf(options);
  if (target === null) return null;
  const signal = interruptSignal();
  const client = connectTo({ ...target, timeoutSeconds: options.requestTimeout, signal });
  return { client, url: target.url, signal };
}

/** Does the work of a command with a running service, or else with one that it embeds. */
export async function withService<T>(command: Command, work: (session: Session) => Promise<T>): Promise<T> {
  const remote = await remoteSession(command);
  if (remote) return work(remote);
  // Loaded only here, because the whole service comes with it.
  const { withLocalApi } = await import('../embedded/with-application.js');
  return withLocalApi(work);
}

import { openLocalApi } from '../../../server/src/index.js';
import { connectTo, type Session } from '../service/client.js';
import { withProcess } from './with-application.js';

/** Opens the application with its API on the loopback interface for one command, and closes it. */
export function withLocalApi<T>(work: (session: Session) => Promise<T>): Promise<T> {
  return withProcess(openLocalApi, async ({ url, token }, signal) =>
    work({ client: connectTo({ url, token, signal }), url: null, signal }),
  );
}

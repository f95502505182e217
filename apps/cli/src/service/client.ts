import {
  createRepotideClient,
  type RepotideClient,
  type Schemas,
} from '../../../../clients/typescript/client.js';
import { CommandFailure, EXIT } from '../failure.js';
import { type Target } from './target.js';

export { type RepotideClient, type Schemas };

/** The API of a running service, or of one that this process embeds for one command. */
export interface Session {
  readonly client: RepotideClient;
  /** Where the service runs; null: in this process. */
  readonly url: string | null;
  /** Fires on Ctrl-C and SIGTERM. */
  readonly signal: AbortSignal;
}

const DEFAULT_TIMEOUT_SECONDS = 60;
/** A request that the limit of requests refuses is sent again this often, when it may be sent soon. */
const MAX_REPEATS = 3;
const LONGEST_REPEAT_SECONDS = 60;

export interface ClientOptions extends Target {
  /** Limits one request; the stream of a run has no limit. */
  timeoutSeconds?: number | undefined;
  signal: AbortSignal;
}

/** A client whose requests end: by an answer, by the time limit, or by Ctrl-C. */
export function connectTo({
  url,
  token,
  timeoutSeconds = DEFAULT_TIMEOUT_SECONDS,
  signal,
}: ClientOptions): RepotideClient {
  const send = async (request: Request, repeats = 0): Promise<Response> => {
    const limits = request.url.endsWith('/events') ? [] : [AbortSignal.timeout(timeoutSeconds * 1000)];
    let response: Response;
    try {
      const init = {
        signal: AbortSignal.any([signal, request.signal, ...limits]),
        redirect: 'manual',
      } as const;
      response = await fetch(request.clone(), init);
    } catch (error) {
      throw unanswered(error, url, timeoutSeconds, AbortSignal.any([signal, request.signal]));
    }
    const waitSeconds = Number(response.headers.get('retry-after') ?? NaN);
    if (response.status !== 429 || repeats >= MAX_REPEATS || !(waitSeconds <= LONGEST_REPEAT_SECONDS))
      return response;
    await pause(waitSeconds * 1000, signal);
    return send(request, repeats + 1);
  };
  return createRepotideClient({ baseUrl: url, token, fetch: send });
}

interface Answer<Data> {
  data?: Data;
  error?: unknown;
  response: Response;
}

/** @returns the body of the answer. @throws CommandFailure for an answer that is no success, with what the service says. */
export async function answerOf<Data>(call: Promise<Answer<Data>>): Promise<NonNullable<Data>> {
  let answer: Answer<Data>;
  try {
    answer = await call;
  } catch (error) {
    if (error instanceof SyntaxError) throw notAService();
    throw error;
  }
  const { data, error, response } = answer;
  if (error === undefined && response.status < 300) return data as NonNullable<Data>;
  throw refusalOf(error, response);
}

/** Resolves after the time. @throws CommandFailure on Ctrl-C. */
export function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = (): void => {
      clearTimeout(timer);
      reject(interrupted());
    };
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', stop);
      resolve();
    }, ms);
    if (signal.aborted) stop();
    else signal.addEventListener('abort', stop, { once: true });
  });
}

export function interrupted(message = 'Interrupted; nothing is still running.'): CommandFailure {
  return new CommandFailure(EXIT.interrupted, 'interrupted', message);
}

function unanswered(
  error: unknown,
  url: string,
  timeoutSeconds: number,
  signal: AbortSignal,
): CommandFailure {
  if (signal.aborted) return interrupted();
  const { origin } = new URL(url);
  const { name, cause } = error as Error;
  const why =
    name === 'TimeoutError'
      ? `within ${timeoutSeconds} s`
      : `(${(cause as NodeJS.ErrnoException | undefined)?.code ?? (cause as Error | undefined)?.message ?? name})`;
  const message = `No answer from ${origin} ${why}. Check the address (--url, REPOTIDE_URL or the profile), and that the service runs.`;
  return new CommandFailure(EXIT.unreachable, 'service_unreachable', message, { cause: error });
}

function notAService(): CommandFailure {
  const message =
    'The answer is not from a Repotide service: it is not JSON. Check the address (--url, REPOTIDE_URL or the profile).';
  return new CommandFailure(EXIT.unreachable, 'not_a_service', message);
}

function refusalOf(error: unknown, { status }: Response): CommandFailure {
  const problem = (typeof error === 'object' && error !== null ? error : {}) as Partial<
    Schemas['ProblemDto']
  >;
  if (problem.code === undefined || problem.detail === undefined) return notAService();
  const message = `${problem.detail}${hintFor(status)}`;
  return new CommandFailure(exitCodeFor(status), problem.code, message);
}

function hintFor(status: number): string {
  if (status === 401) return ' Check the token (REPOTIDE_TOKEN, --token-file or the profile).';
  return '';
}

function exitCodeFor(status: number): number {
  if (status === 503 || status === 504) return EXIT.unreachable;
  // What does not exist is a failed command; the other answers from 400 say that the service refused it.
  return status >= 400 && status < 500 && status !== 404 ? EXIT.refused : EXIT.failed;
}

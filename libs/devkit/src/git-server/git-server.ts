import { randomBytes } from 'node:crypto';
import { type IncomingHttpHeaders } from 'node:http';
import { type Answer, redirectAnswer, textAnswer } from '../http/answer.js';
import { FaultSet } from '../http/faults.js';
import {
  type RequestRecord,
  type StandInRequest,
  startStandInServer,
  type TokenSeen,
} from '../http/stand-in-server.js';
import { runBackend } from './http-backend.js';

/** A server that speaks git's smart HTTP protocol with basic authentication, and nothing else. */
export interface GitServer {
  /** Without a trailing slash. */
  readonly url: string;
  /** The only user and password that it accepts, generated for this server. */
  readonly user: string;
  readonly token: string;
  readonly requests: readonly RequestRecord[];
  readonly faults: FaultSet;
  /** Serves a repository at `<url>/<path>`, exactly that path. */
  add(path: string, gitDirectory: string): void;
  remove(path: string): void;
  /** The former path redirects to the new one from then on. */
  move(from: string, to: string): void;
  settings: { hasFilters: boolean };
  resetLog(): void;
  stop(): Promise<void>;
}

/** @param tls key and certificate in PEM, to serve HTTPS. */
export async function startGitServer(
  options: { tls?: { key: string; cert: string }; port?: number } = {},
): Promise<GitServer> {
  const repositories = new Map<string, string>();
  const moved = new Map<string, string>();
  const [user, token] = ['robot', randomBytes(15).toString('base64url')];
  const expected = `Basic ${Buffer.from(`${user}:${token}`).toString('base64')}`;
  const tokenSeen = ({ authorization }: IncomingHttpHeaders): TokenSeen =>
    authorization === undefined ? 'absent' : authorization === expected ? 'accepted' : 'rejected';
  const requests: RequestRecord[] = [];
  const faults = new FaultSet();
  const settings = { hasFilters: true };
  const answer = async (request: StandInRequest<never>): Promise<Answer> => {
    if (tokenSeen(request.headers) !== 'accepted') return unauthorized();
    const [, path = '', service = ''] = /^\/(.+?)(\/info\/refs|\/git-upload-pack)$/.exec(request.path) ?? [];
    const target = moved.get(path);
    if (target !== undefined) return redirectAnswer(301, `/${target}${service}?${request.query.toString()}`);
    const directory = repositories.get(path);
    if (directory === undefined) return textAnswer(404, 'Repository not found.');
    return runBackend(directory, service, request, settings.hasFilters);
  };
  const record = (each: RequestRecord) => requests.push(each);
  const behaviour = { faults, record, tokenSeen, answer, errorAnswer: plainError };
  const server = await startStandInServer(behaviour, options.port ?? 0, options.tls);
  return {
    url: server.url,
    user,
    token,
    requests,
    faults,
    settings,
    add: (path, gitDirectory) => void repositories.set(path, gitDirectory),
    remove: (path) => void repositories.delete(path),
    move(from, to) {
      repositories.set(to, repositories.get(from)!);
      repositories.delete(from);
      moved.set(from, to);
    },
    resetLog: () => requests.splice(0),
    stop: () => server.stop(),
  };
}

function unauthorized(): Answer {
  const answer = textAnswer(401, 'Authentication required.');
  return { ...answer, headers: { ...answer.headers, 'www-authenticate': 'Basic realm="git"' } };
}

function plainError(status: number): Answer {
  return textAnswer(status, 'error');
}

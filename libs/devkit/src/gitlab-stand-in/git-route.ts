import { type Readable } from 'node:stream';
import { spawnGit } from '../git/git-command.js';
import { type Answer, textAnswer } from '../http/answer.js';
import { type StandInRequest } from '../http/stand-in-server.js';
import { type Caller, type TokenRegistry } from './access.js';
import { accessTo, type ProjectRegistry } from './projects.js';
import { type GitLabSettings } from './settings.js';

interface GitState {
  tokens: TokenRegistry;
  projects: ProjectRegistry;
  settings: GitLabSettings;
}

const READING_SCOPES: readonly string[] = ['api', 'read_api', 'read_repository'];
const HEADERS_END = Buffer.from('\r\n\r\n');

/** Serves a project's repository by git's smart HTTP protocol, with git's own server. Null for another path. */
export async function answerGit(request: StandInRequest<never>, state: GitState): Promise<Answer | null> {
  const [, path, service] = /^\/(.+)\.git(\/info\/refs|\/git-upload-pack)$/.exec(request.path) ?? [];
  if (path === undefined || service === undefined) return null;
  const { tokens, projects, settings } = state;
  if (!settings.git.isEnabled) return textAnswer(403, 'Git access over HTTP is not allowed');
  const caller = tokens.seen(request.headers) === 'rejected' ? null : tokens.callerOf(request.headers);
  const found = projects.find(decodeURIComponent(path));
  const access = found === null || caller === null ? 'none' : accessTo(found.project, caller);
  // A caller without a token cannot see whether the project exists.
  if (caller === null || (caller.name === null && access !== 'code')) return unauthorized();
  if (found === null || access === 'none')
    return textAnswer(404, 'The project you were looking for could not be found.');
  if (access !== 'code' || !mayRead(caller))
    return textAnswer(403, 'You are not allowed to download code from this project.');
  return runBackend(found.project.reader.gitDirectory, service, request, settings);
}

function mayRead({ name, scopes }: Caller): boolean {
  return name === null || scopes.some((scope) => READING_SCOPES.includes(scope));
}

function unauthorized(): Answer {
  const answer = textAnswer(401, 'HTTP Basic: Access denied.');
  return { ...answer, headers: { ...answer.headers, 'www-authenticate': 'Basic realm="GitLab"' } };
}

/** Runs `git http-backend` as a web server does, and passes its answer on as it comes. */
async function runBackend(
  directory: string,
  service: string,
  { method, query, headers, body }: StandInRequest<never>,
  { git }: GitLabSettings,
): Promise<Answer> {
  const child = spawnGit(directory, ['-c', `uploadpack.allowFilter=${git.hasFilters}`, 'http-backend'], {
    environment: {
      GIT_PROJECT_ROOT: directory,
      GIT_HTTP_EXPORT_ALL: '1',
      GIT_PROTOCOL: one(headers['git-protocol']),
      PATH_INFO: service,
      REQUEST_METHOD: method,
      QUERY_STRING: query.toString(),
      CONTENT_TYPE: one(headers['content-type']),
      HTTP_CONTENT_ENCODING: one(headers['content-encoding']),
      CONTENT_LENGTH: String(body.length),
    },
  });
  child.stdin.end(body);
  child.stderr.resume();
  child.once('error', () => undefined);
  child.stdout.once('close', () => child.kill());
  const { status, headers: answered, rest } = await readHeaders(child.stdout);
  if (rest.length > 0) child.stdout.unshift(rest);
  return { status, headers: answered, body: child.stdout };
}

async function readHeaders(
  output: Readable,
): Promise<{ status: number; headers: Record<string, string>; rest: Buffer }> {
  let read = Buffer.alloc(0);
  while (!read.includes(HEADERS_END)) {
    const chunk = output.read() as Buffer | null;
    if (chunk !== null) read = Buffer.concat([read, chunk]);
    else if (output.readableEnded || output.destroyed) throw new Error('git http-backend sent no headers');
    else await readableOrOver(output);
  }
  const end = read.indexOf(HEADERS_END);
  const lines = read.toString('latin1', 0, end).split('\r\n');
  const fields = lines.map((line) => line.split(/: */, 2).map((part) => part.toLowerCase()));
  const { status = '200', ...headers } = Object.fromEntries(fields) as Record<string, string>;
  return { status: Number.parseInt(status, 10), headers, rest: read.subarray(end + HEADERS_END.length) };
}

function readableOrOver(output: Readable): Promise<void> {
  return new Promise((resolve) => {
    for (const event of ['readable', 'end', 'close']) output.once(event, () => resolve());
  });
}

function one(header: string | string[] | undefined): string {
  return typeof header === 'string' ? header : '';
}

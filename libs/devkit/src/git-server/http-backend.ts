import { type Readable } from 'node:stream';
import { spawnGit } from '../git/git-command.js';
import { type Answer } from '../http/answer.js';
import { type StandInRequest } from '../http/stand-in-server.js';

const HEADERS_END = Buffer.from('\r\n\r\n');

/** Runs `git http-backend` as a web server does, and passes its answer on as it comes. */
export async function runBackend(
  directory: string,
  service: string,
  { method, query, headers, body }: StandInRequest<never>,
  hasFilters: boolean,
): Promise<Answer> {
  const child = spawnGit(directory, ['-c', `uploadpack.allowFilter=${hasFilters}`, 'http-backend'], {
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

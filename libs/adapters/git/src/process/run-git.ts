import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { setMaxListeners } from 'node:events';
import { devNull, tmpdir } from 'node:os';
import { RepotideError, throwIfAborted } from '@core/domain';

/** A larger object is processed in parts instead of in memory. */
const IN_MEMORY_LIMIT = '16m';
/** For one allocation of a child: a hostile pack may announce any number of objects, or a small delta of a huge one. */
const ALLOCATION_LIMIT = '256m';
const MAX_ERROR_BYTES = 4096;

const CONFIG: Readonly<Record<string, string>> = {
  'core.bigFileThreshold': IN_MEMORY_LIMIT,
  'core.deltaBaseCacheLimit': IN_MEMORY_LIMIT,
  'core.quotePath': 'false',
  // No process of ours reads from a network: contents come through the service's own connections.
  'protocol.allow': 'never',
};

export interface GitCommand {
  /** The repository; the process works there and nowhere else. */
  directory: string;
  args: readonly string[];
  signal: AbortSignal;
}

export interface GitProcess {
  stdin: ChildProcessWithoutNullStreams['stdin'];
  stdout: ChildProcessWithoutNullStreams['stdout'];
  /** Resolves when the process has ended well. @throws internal `git_failed`, invalid `git_missing`; the signal's reason. */
  ended: Promise<void>;
  /** Ends the process at once. */
  kill(): void;
}

/**
 * Starts git without a shell, with no configuration but ours, no credential, and no access to a network. The signal kills it;
 * and as it waits for its pipes only, it ends with this process too.
 */
export function startGit({ directory, args, signal }: GitCommand): GitProcess {
  throwIfAborted(signal);
  const child = spawn('git', [...args], { cwd: directory, env: environmentIn(directory) });
  const kill = () => void child.kill('SIGKILL');
  // All work of a run shares its signal; Node would warn of a leak at more than ten listeners.
  setMaxListeners(0, signal);
  signal.addEventListener('abort', kill, { once: true });
  // Git may stop reading early; its exit code says why.
  child.stdin.on('error', () => undefined);
  const said: Buffer[] = [];
  let saidBytes = 0;
  child.stderr.on('data', (chunk: Buffer) => {
    if (saidBytes < MAX_ERROR_BYTES) said.push(chunk);
    saidBytes += chunk.length;
  });
  const ended = new Promise<void>((resolve, reject) => {
    child.once('error', (error) => reject(gitMissing(error)));
    child.once('close', (code) => {
      if (signal.aborted) reject(signal.reason as Error);
      else if (code === 0) resolve();
      else reject(gitFailed(args[0] ?? '', code, Buffer.concat(said).toString('utf8')));
    });
  }).finally(() => signal.removeEventListener('abort', kill));
  // A caller that stops early does not wait for it.
  ended.catch(() => undefined);
  return { stdin: child.stdin, stdout: child.stdout, ended, kill };
}

/** Runs git to its end and returns what it wrote, at most about a megabyte. */
export async function askGit(command: GitCommand): Promise<string> {
  const child = startGit(command);
  child.stdin.end();
  const output: Buffer[] = [];
  for await (const chunk of child.stdout as AsyncIterable<Buffer>) output.push(chunk);
  await child.ended;
  return Buffer.concat(output).toString('utf8');
}

/** The oldest version that the tests run with. */
const MIN_VERSION = { major: 2, minor: 39 } as const;

/** @throws invalid `git_missing`, `git_too_old`. */
export async function assertGitVersion(signal: AbortSignal): Promise<void> {
  const answer = await askGit({ directory: tmpdir(), args: ['version'], signal });
  const [, major = '0', minor = '0'] = /(\d+)\.(\d+)/.exec(answer) ?? [];
  const isEnough =
    Number(major) > MIN_VERSION.major ||
    (Number(major) === MIN_VERSION.major && Number(minor) >= MIN_VERSION.minor);
  if (isEnough) return;
  const message =
    `Found "${answer.trim()}", expected git ${MIN_VERSION.major}.${MIN_VERSION.minor} or newer. ` +
    'Install a newer git, or set SOURCE_TRANSPORT=rest.';
  throw new RepotideError('invalid', 'git_too_old', message);
}

function environmentIn(directory: string): NodeJS.ProcessEnv {
  const config = Object.entries(CONFIG);
  return {
    PATH: process.env['PATH'],
    HOME: directory,
    GIT_DIR: directory,
    LC_ALL: 'C',
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_CONFIG_GLOBAL: devNull,
    GIT_CONFIG_COUNT: String(config.length),
    ...Object.fromEntries(
      config.flatMap(([key, value], index) => [
        [`GIT_CONFIG_KEY_${index}`, key],
        [`GIT_CONFIG_VALUE_${index}`, value],
      ]),
    ),
    GIT_ATTR_NOSYSTEM: '1',
    GIT_ALLOC_LIMIT: ALLOCATION_LIMIT,
    GIT_ALLOW_PROTOCOL: 'none',
    GIT_NO_LAZY_FETCH: '1',
    GIT_NO_REPLACE_OBJECTS: '1',
    GIT_LITERAL_PATHSPECS: '1',
    GIT_OPTIONAL_LOCKS: '0',
    GIT_TERMINAL_PROMPT: '0',
  };
}

function gitMissing(cause: unknown): RepotideError {
  const message =
    'The program git cannot be started. Install git 2.39 or newer and put it on the PATH, or set SOURCE_TRANSPORT=rest.';
  return new RepotideError('invalid', 'git_missing', message, { cause });
}

function gitFailed(command: string, code: number | null, said: string): RepotideError {
  const quote = quoted(said);
  const end = code === null ? 'was killed' : `ended with ${code}`;
  const message = `git ${command} ${end}: "${quote}". Check the memory and the temporary directory of the pod.`;
  return new RepotideError('internal', 'git_failed', message, { details: { command, exit_code: code } });
}

/** Its output stopped in the middle; the exit code, if there is one, says more. */
export function gitEndedEarly(): RepotideError {
  const message =
    'git stopped in the middle of its output. Check the memory and the temporary directory of the pod.';
  return new RepotideError('internal', 'git_failed', message);
}

const LONGEST_QUOTE = 300;

/** What a program said, in one line. */
export function quoted(text: string): string {
  return text
    .replace(/[\p{Cc}\s]+/gu, ' ')
    .trim()
    .slice(0, LONGEST_QUOTE);
}

import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { devNull } from 'node:os';
import { RepotideError } from '@core/domain';

export interface GitCommandOptions {
  /** Written to standard input, which is then closed. */
  input?: string | Uint8Array | AsyncIterable<string | Uint8Array>;
  signal?: AbortSignal;
  environment?: Readonly<Record<string, string>>;
}

/**
 * Starts git in `directory` with an argument vector (no shell). Ignores the user's configuration and inherited `GIT_*`
 * variables, so that the same command gives the same answer on every machine.
 */
export function spawnGit(
  directory: string,
  args: readonly string[],
  options: Pick<GitCommandOptions, 'signal' | 'environment'> = {},
): ChildProcessWithoutNullStreams {
  const child = spawn('git', ['-c', 'safe.directory=*', ...args], {
    cwd: directory,
    env: { ...gitEnvironment(), ...options.environment },
    ...(options.signal === undefined ? {} : { signal: options.signal }),
  });
  // Git may stop reading early and break the pipe. Its exit code gives the reason, so this error is ignored.
  child.stdin.on('error', () => undefined);
  return child;
}

/**
 * Runs git to its end and returns its standard output. The process has ended when the promise settles.
 * @throws invalid `git_failed` with git's own message.
 */
export async function runGit(
  directory: string,
  args: readonly string[],
  options: GitCommandOptions = {},
): Promise<Buffer> {
  const child = spawnGit(directory, args, options);
  const output: Buffer[] = [];
  const errorOutput: Buffer[] = [];
  child.stdout.on('data', (chunk: Buffer) => output.push(chunk));
  child.stderr.on('data', (chunk: Buffer) => errorOutput.push(chunk));
  const ended = endOf(child);
  try {
    await feed(child, options.input);
  } catch (error) {
    child.kill('SIGKILL');
    await ended;
    throw error;
  }
  const end = await ended;
  if (end.code === 0) return Buffer.concat(output);
  if (options.signal?.aborted) options.signal.throwIfAborted();
  const words = Buffer.concat(errorOutput).toString().trim() || (end.error?.message ?? `exit ${end.code}`);
  throw new RepotideError('invalid', 'git_failed', `git ${args[0] ?? ''} in ${directory} failed: ${words}`);
}

/** {@link runGit}, as text without surrounding white space. */
export async function askGit(
  directory: string,
  args: readonly string[],
  options: GitCommandOptions = {},
): Promise<string> {
  return (await runGit(directory, args, options)).toString().trim();
}

/** Resolves when the process has ended and its streams are closed; never rejects. */
export function endOf(
  child: ChildProcessWithoutNullStreams,
): Promise<{ code: number | null; error: Error | null }> {
  return new Promise((resolve) => {
    let error: Error | null = null;
    child.once('error', (thrown) => (error = thrown));
    child.once('close', (code) => resolve({ code, error }));
  });
}

async function feed(child: ChildProcessWithoutNullStreams, input: GitCommandOptions['input']): Promise<void> {
  if (input === undefined || typeof input === 'string' || input instanceof Uint8Array) {
    child.stdin.end(input);
    return;
  }
  for await (const chunk of input) {
    if (!child.stdin.writable) return;
    if (!child.stdin.write(chunk)) await drained(child);
  }
  child.stdin.end();
}

function drained(child: ChildProcessWithoutNullStreams): Promise<void> {
  return new Promise((resolve) => {
    child.stdin.once('drain', resolve);
    child.stdin.once('close', resolve);
  });
}

function gitEnvironment(): NodeJS.ProcessEnv {
  const inherited = Object.entries(process.env).filter(([name]) => !name.startsWith('GIT_'));
  return {
    ...Object.fromEntries(inherited),
    GIT_CONFIG_GLOBAL: devNull,
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_TERMINAL_PROMPT: '0',
    GIT_OPTIONAL_LOCKS: '0',
    GIT_NO_REPLACE_OBJECTS: '1',
    LC_ALL: 'C',
  };
}

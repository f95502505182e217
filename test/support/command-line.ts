import { spawn, type ChildProcess } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';

/** The built command line. */
export const MAIN = fileURLToPath(new URL('../../dist/bundle/main.js', import.meta.url));

/** Tests count and disturb the requests of the API; those of git choose it themselves. */
const ENVIRONMENT = { NO_COLOR: '1', SOURCE_TRANSPORT: 'rest' };

export interface RunningCommand {
  process: ChildProcess;
  stdout(): string;
  stderr(): string;
  /** Exit code, or the signal that ended it. */
  ended: Promise<number | NodeJS.Signals | null>;
  /** Sends a signal if it still runs, and waits for its end. */
  end(signal: NodeJS.Signals): Promise<number | NodeJS.Signals | null>;
  /** Peak resident memory in MiB (Linux's own high-water mark, polled). */
  peakMemoryMiB(): number;
}

/** Runs the built command line in another process with exactly this environment, as a user does. */
export function runCommand(args: readonly string[], env: Record<string, string>): RunningCommand {
  const child = spawn(process.execPath, ['--enable-source-maps', '--max-semi-space-size=4', MAIN, ...args], {
    env: { ...ENVIRONMENT, PATH: process.env.PATH ?? '', HOME: process.env.HOME ?? '', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let stdout = '';
  let stderr = '';
  child.stdout.on('data', (part: Buffer) => (stdout += part.toString()));
  child.stderr.on('data', (part: Buffer) => (stderr += part.toString()));
  let peak = 0;
  const poll = setInterval(() => {
    void highWaterMark(child.pid).then((mebibytes) => (peak = Math.max(peak, mebibytes)));
  }, 100);
  const ended = new Promise<number | NodeJS.Signals | null>((resolve) => {
    child.once('close', (code, signal) => {
      clearInterval(poll);
      resolve(code ?? signal);
    });
  });
  const end = (signal: NodeJS.Signals): typeof ended => {
    child.kill(signal);
    return ended;
  };
  return {
    process: child,
    stdout: () => stdout,
    stderr: () => stderr,
    ended,
    end,
    peakMemoryMiB: () => peak,
  };
}

async function highWaterMark(pid: number | undefined): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
  return Number(/VmHWM:\s+(\d+) kB/.exec(status)?.[1] ?? 0) / 1024;
}

/** Shorter than a test's time limit, so that the failure names the missing condition; long enough for a busy machine. */
const WAIT_LIMIT_MS = 200_000;

const POLL_MS = 50;

/** Waits until a condition holds; after the limit it fails with the name of the condition. */
export async function until(
  what: string,
  isTrue: () => boolean | Promise<boolean>,
  limitMs = WAIT_LIMIT_MS,
  pollMs = POLL_MS,
): Promise<void> {
  const deadline = Date.now() + limitMs;
  while (!(await isTrue())) {
    if (Date.now() > deadline) throw new Error(`Waited ${limitMs} ms for ${what}.`);
    await new Promise((resolve) => setTimeout(resolve, pollMs));
  }
}

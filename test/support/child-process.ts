import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const REGISTER = fileURLToPath(new URL('./register-typescript.mjs', import.meta.url));
const ROOT = fileURLToPath(new URL('../../', import.meta.url));

export interface SourceProcess {
  process: ChildProcess;
  /** Resolves with the next line of standard output with this event; rejects with the output when the process ends before. */
  next<T extends object>(event: string): Promise<T>;
  /** Exit code, or the signal that ended it. */
  ended: Promise<number | NodeJS.Signals | null>;
}

/** Runs a source file in its own process and process group; it writes JSON lines: `{"event": ...}`. */
export function spawnSource(
  file: string,
  args: readonly string[],
  options: { env?: NodeJS.ProcessEnv; uid?: number; gid?: number } = {},
): SourceProcess {
  const child = spawn(process.execPath, ['--import', REGISTER, file, ...args], {
    cwd: ROOT,
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
    ...options,
    env: { ...process.env, ...options.env },
  });
  const said: string[] = [];
  let wake = (): void => undefined;
  createInterface({ input: child.stdout }).on('line', (line) => (said.push(line), wake()));
  createInterface({ input: child.stderr }).on('line', (line) => (said.push(line), wake()));
  let hasClosed = false;
  const ended = new Promise<number | NodeJS.Signals | null>((resolve) => {
    child.once('close', (code, signal) => {
      hasClosed = true;
      resolve(code ?? signal);
      wake();
    });
  });
  const next = async <T extends object>(event: string): Promise<T> => {
    for (;;) {
      const found = said.map(parse).find((line) => line?.event === event);
      if (found) return found as unknown as T;
      if (hasClosed) throw new Error(`The process ended without saying "${event}": ${said.join('\n')}`);
      await new Promise<void>((resolve) => (wake = resolve));
    }
  };
  return { process: child, next, ended };
}

function parse(line: string): { event?: string } | null {
  try {
    return JSON.parse(line) as { event?: string };
  } catch {
    return null;
  }
}

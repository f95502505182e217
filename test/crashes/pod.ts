import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { dirname } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { type HeldLease } from '@core/domain';

export interface CrashPoint {
  /** Port and method. */
  step: string;
  side: 'before' | 'after';
  /** Which call of the step, from 1 on. */
  nth: number;
}

/** What a pod does in one round, and where it dies. */
export interface Round {
  env: Record<string, string>;
  /** Pods that are known to be dead. */
  lostPods: readonly string[];
  steps: Readonly<Record<string, readonly string[]>>;
  die?: CrashPoint;
}

export interface RoundResult {
  event: 'lived';
  steps: string[];
  leases: HeldLease[];
}

/**
 * @param without a line of the code that the program lacks.
 * @returns the file of the program that {@link startPod} runs.
 */
export async function bundlePod(
  directory: string,
  without?: { file: string; line: string },
): Promise<string> {
  const bundler = fileURLToPath(new URL('bundle.mjs', import.meta.url));
  const leftOut = without ? [without.file, without.line] : [];
  await promisify(execFile)(process.execPath, [bundler, directory, ...leftOut]);
  return `${directory}/pod.js`;
}

export interface Pod {
  /** @returns null when the process was killed. */
  live(round: Round): Promise<RoundResult | null>;
  end(): Promise<void>;
}

export function startPod(program: string): Pod {
  const child = spawn(process.execPath, [program], {
    stdio: ['pipe', 'pipe', 'inherit'],
    // Hundreds of processes load the same code. Node 20 ignores it.
    env: { ...process.env, NODE_COMPILE_CACHE: `${dirname(program)}/compiled` },
  });
  const ended = new Promise<void>((resolve) => void child.once('close', () => resolve()));
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  return {
    async live(round) {
      child.stdin.write(`${JSON.stringify(round)}\n`);
      for (;;) {
        const { value } = (await lines.next()) as IteratorResult<string, undefined>;
        if (value === undefined) return killed(child, ended);
        const message = JSON.parse(value) as
          RoundResult | { event: 'ready' } | { event: 'failed'; error: string };
        if (message.event === 'lived') return message;
        if (message.event === 'failed') throw new Error(`The pod failed: ${message.error}`);
      }
    },
    async end() {
      child.kill('SIGKILL');
      await ended;
    },
  };
}

async function killed(child: ChildProcess, ended: Promise<void>): Promise<null> {
  await ended;
  if (child.signalCode !== 'SIGKILL') throw new Error(`The pod ended with ${String(child.exitCode)}.`);
  return null;
}

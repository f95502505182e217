import { execFile } from 'node:child_process';
import { type DeclaredChange } from '@adapters/postgres';
import { variablesNamedIn } from './declared-files.js';

/** A large declaration takes one request for each of its changes. */
const LONGEST_MS = 15 * 60_000;

export interface ApplyRequest {
  url: string;
  token: string;
  path: string;
  declaration: string;
  mode: 'apply' | 'prune' | 'report';
}

export interface ApplyResult {
  changes: DeclaredChange[];
  /** Declared before and no longer, and not deleted. */
  forgotten: number;
  /** Why nothing was compared; null: it was. */
  error: string | null;
}

/**
 * Runs `repotide apply` in a child process against this service, so that reading and comparing the files does not delay
 * the runs and requests here. Of the environment it gets only the variables that the files name, and Node.js' options: its
 * requests go to this process, so it needs no proxy, no certificate and no secret of the service.
 * @throws Error when the signal fires.
 */
export async function runApplyCommand(request: ApplyRequest, signal: AbortSignal): Promise<ApplyResult> {
  const { url, token, path, declaration, mode } = request;
  const options = { apply: [], prune: ['--prune'], report: ['--dry-run'] }[mode];
  const args = ['apply', '--file', path, '--name', declaration, '--json', ...options];
  const env = {
    ...(await variablesNamedIn(path, process.env)),
    ...(process.env['NODE_OPTIONS'] && { NODE_OPTIONS: process.env['NODE_OPTIONS'] }),
    ...{ REPOTIDE_URL: url, REPOTIDE_TOKEN: token },
  };
  const { stdout, stderr } = await runProgram(args, env, signal);
  const outcome = outcomeOf(stdout);
  if (outcome === null)
    return { changes: [], forgotten: 0, error: stderr.trim() || 'repotide apply printed nothing.' };
  return {
    changes: outcome.changes.map(({ action, kind, key, is_drift: isDrift, fields, error }) => ({
      ...{ action, kind, key, isDrift, error },
      fields: fields.map(({ field, from, to }) => ({ field, from: textOf(from), to: textOf(to) })),
    })),
    forgotten: outcome.forgotten.length,
    error: null,
  };
}

/** The file that this process runs is the whole program. */
function runProgram(
  args: string[],
  env: NodeJS.ProcessEnv,
  signal: AbortSignal,
): Promise<{ stdout: string; stderr: string }> {
  const program = process.argv[1] ?? '';
  const options = { env, signal, timeout: LONGEST_MS, maxBuffer: 64 * 1024 * 1024 };
  return new Promise((resolve, reject) => {
    execFile(process.execPath, [program, ...args], options, (_, stdout, stderr) => {
      // The exit code adds nothing: a command that compared the files has printed what it found.
      if (signal.aborted) reject(new Error('The comparison was stopped.'));
      else resolve({ stdout, stderr });
    });
  });
}

const LONGEST_VALUE = 2_000;

function textOf(value: unknown): string {
  return JSON.stringify(value ?? null).slice(0, LONGEST_VALUE);
}

interface PrintedOutcome {
  changes: (Pick<DeclaredChange, 'action' | 'kind' | 'key' | 'error'> & {
    is_drift: boolean;
    fields: { field: string; from: unknown; to?: unknown }[];
  })[];
  forgotten: object[];
}

function outcomeOf(stdout: string): PrintedOutcome | null {
  try {
    return JSON.parse(stdout) as PrintedOutcome;
  } catch {
    return null;
  }
}

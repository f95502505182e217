import { type ChildProcess, spawn } from 'node:child_process';
import { createWriteStream } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { fakeTime } from './fake-time.js';

const MAIN = fileURLToPath(new URL('../../../dist/bundle/main.js', import.meta.url));

/** One line of a pod's log. */
export interface LogLine {
  /** When the harness read the line, by its own clock; the pod's clock may be wrong on purpose. */
  at: number;
  pod: string;
  level: string;
  message: string;
  fields: Record<string, unknown>;
}

/** An event in the life of a pod: a fault that the harness caused, or the pod's own start or end. */
export interface PodEvent {
  at: number;
  pod: string;
  kind: 'started' | 'killed' | 'frozen' | 'thawed' | 'terminated' | 'ended';
  /** For `ended`. */
  exit?: number | NodeJS.Signals | null;
  /** For `ended`: the harness caused the end. */
  wasAsked?: boolean;
  /** For `ended`: the pod had listened before. */
  hadListened?: boolean;
}

export interface PodOptions {
  name: string;
  /** How far its wall clock is ahead. */
  skewSeconds: number;
  logDirectory: string;
  /** Default: the one of this checkout. */
  bundle?: string;
}

type Exit = number | NodeJS.Signals | null;

/** All running pods. The exit handler kills them, so that no pod outlives the harness. */
const living = new Set<ChildProcess>();
process.on('exit', () => living.forEach((child) => child.kill('SIGKILL')));

/** One `repotide serve` as a real process. */
export class Pod {
  readonly lines: LogLine[] = [];
  readonly events: PodEvent[] = [];
  private child: ChildProcess | null = null;
  private ended: Promise<Exit> = Promise.resolve(null);
  private address: string | null = null;
  private isFrozen = false;
  private isAskedToEnd = false;
  private restart: (() => void) | null = null;

  constructor(readonly options: PodOptions) {}

  get name(): string {
    return this.options.name;
  }
  /** Its address while it listens and is neither frozen nor stopping. */
  get url(): string | null {
    return this.isFrozen || this.isAskedToEnd ? null : this.address;
  }
  get isRunning(): boolean {
    return this.child !== null;
  }
  get state(): 'up' | 'frozen' | 'ending' | 'down' {
    if (this.child === null) return 'down';
    if (this.isAskedToEnd) return 'ending';
    return this.isFrozen ? 'frozen' : 'up';
  }
  get pid(): number | null {
    return this.child?.pid ?? null;
  }

  /** Resolves when it listens. @throws with its standard error when it ends before. */
  async start(env: Readonly<Record<string, string>>): Promise<void> {
    const { skewSeconds, bundle = MAIN } = this.options;
    const child = spawn(process.execPath, ['--enable-source-maps', bundle, 'serve'], {
      env: {
        PATH: process.env.PATH,
        HOME: process.env.HOME,
        NO_COLOR: '1',
        // The faults strike the endpoints of the API.
        SOURCE_TRANSPORT: 'rest',
        ...env,
        ...fakeTime(skewSeconds),
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.child = child;
    living.add(child);
    this.isAskedToEnd = this.isFrozen = false;
    this.note('started');
    this.ended = new Promise((resolve) => {
      child.once('close', (code, signal) => {
        living.delete(child);
        const hadListened = this.address !== null;
        this.child = this.address = null;
        this.note('ended', { exit: code ?? signal, wasAsked: this.isAskedToEnd, hadListened });
        resolve(code ?? signal);
        if (!this.isAskedToEnd) this.restart?.();
      });
    });
    await this.listening(child);
  }

  /** Registers the callback for an exit that the harness did not cause. */
  onUnaskedEnd(restart: () => void): void {
    this.restart = restart;
  }

  kill(): Promise<Exit> {
    return this.end('SIGKILL', 'killed');
  }

  /** Sends SIGTERM, as Kubernetes does first. Resolves with the exit code. */
  terminate(): Promise<Exit> {
    return this.end('SIGTERM', 'terminated');
  }

  freeze(): void {
    if (this.state !== 'up') return;
    this.isFrozen = true;
    this.note('frozen');
    this.child?.kill('SIGSTOP');
  }

  thaw(): void {
    if (!this.isFrozen) return;
    this.isFrozen = false;
    this.note('thawed');
    this.child?.kill('SIGCONT');
  }

  private end(signal: 'SIGKILL' | 'SIGTERM', kind: 'killed' | 'terminated'): Promise<Exit> {
    if (this.child === null) return this.ended;
    this.isAskedToEnd = true;
    this.note(kind);
    this.child.kill(signal);
    if (this.isFrozen) this.child.kill('SIGCONT');
    return this.ended;
  }

  private listening(child: ChildProcess): Promise<void> {
    const file = createWriteStream(join(this.options.logDirectory, `${this.name}.log`), { flags: 'a' });
    const lastWords: string[] = [];
    const read = (stream: NodeJS.ReadableStream | null, onLine: (line: string) => void): void => {
      if (stream) createInterface({ input: stream }).on('line', onLine);
    };
    read(child.stdout, (line) => {
      file.write(`${line}\n`);
      this.remember(line);
    });
    return new Promise((resolve, reject) => {
      read(child.stderr, (line) => {
        file.write(`${line}\n`);
        lastWords.push(line);
        this.address ??= /listens on (http:\S+)/.exec(line)?.[1] ?? null;
        if (this.address !== null && this.child === child) resolve();
      });
      child.once('close', () => {
        file.end();
        reject(new Error(`${this.name} ended before it listened: ${lastWords.join('\n')}`));
      });
    });
  }

  private remember(line: string): void {
    try {
      const { level, msg, ...fields } = JSON.parse(line) as Record<string, unknown>;
      this.lines.push({ at: Date.now(), pod: this.name, level: String(level), message: String(msg), fields });
    } catch {
      this.lines.push({ at: Date.now(), pod: this.name, level: 'none', message: line, fields: {} });
    }
  }

  private note(kind: PodEvent['kind'], more: Partial<PodEvent> = {}): void {
    this.events.push({ at: Date.now(), pod: this.name, kind, ...more });
  }
}

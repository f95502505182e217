import { Worker } from 'node:worker_threads';
import { ContentPreparer, RepotideError, type ContentJob, type PreparedContent } from '@core/domain';
import { type ThreadMessage } from './serve-content-jobs.js';

export interface ContentThreadsOptions {
  /** A module that calls `serveContentJobs`. */
  module: URL;
  timeLimitMs?: number;
  memoryMb?: number;
  /** Without: those of the process. */
  execArgv?: string[];
}

/** A file of a repository, waiting or in work. */
interface Task {
  job: ContentJob;
  repositoryId: string;
  resolve: (content: PreparedContent) => void;
  reject: (reason: unknown) => void;
  /** How often a thread was stopped because of it. */
  stops: number;
}

interface Thread {
  worker: Worker;
  isReady: boolean;
  task: Task | null;
  timer: NodeJS.Timeout | undefined;
}

/** One repository uses at most one thread, so that another one always has one while a hostile one waits for its limit. */
const THREADS = 2;
/** An ordinary file takes milliseconds, one of the size limit less than a second. */
const TIME_LIMIT_MS = 10_000;
const MEMORY_MB = 256;
/** A busy machine may once be the reason; a second time it is the content. */
const MAX_STOPS = 2;
const IDLE_MS = 30_000;

/**
 * Prepares contents in worker threads. A thread that works on one content for too long, or uses too much memory, is
 * stopped and replaced.
 */
export class ContentThreads extends ContentPreparer {
  private readonly threads = new Set<Thread>();
  private waiting: Task[] = [];
  private isClosed = false;
  private readonly timeLimitMs: number;
  private readonly memoryMb: number;

  constructor(private readonly options: ContentThreadsOptions) {
    super();
    this.timeLimitMs = options.timeLimitMs ?? TIME_LIMIT_MS;
    this.memoryMb = options.memoryMb ?? MEMORY_MB;
  }

  async prepare(job: ContentJob, repositoryId: string, signal: AbortSignal): Promise<PreparedContent> {
    signal.throwIfAborted();
    const { promise, resolve, reject } = withResolvers<PreparedContent>();
    const task: Task = { job, repositoryId, resolve, reject, stops: 0 };
    const onAbort = (): void => this.drop(task, signal.reason);
    signal.addEventListener('abort', onAbort);
    this.waiting.push(task);
    this.dispatch();
    try {
      return await promise;
    } finally {
      signal.removeEventListener('abort', onAbort);
    }
  }

  /** Stops all threads, also busy ones. */
  async close(): Promise<void> {
    this.isClosed = true;
    const stopped = new RepotideError('cancelled', 'cancelled', 'The process stops.');
    for (const task of this.waiting.splice(0)) task.reject(stopped);
    for (const { task } of this.threads) task?.reject(stopped);
    await Promise.all([...this.threads].map((thread) => this.remove(thread)));
  }

  /** A thread that works on it is stopped: the content may be the reason why nobody wants to wait any more. */
  private drop(task: Task, reason: unknown): void {
    this.waiting = this.waiting.filter((other) => other !== task);
    task.reject(reason);
    for (const thread of this.threads) if (thread.task === task) void this.remove(thread);
    this.dispatch();
  }

  private dispatch(): void {
    for (let task = this.next(); task !== undefined && !this.isClosed; task = this.next()) {
      const idle = [...this.threads].find((thread) => thread.task === null);
      if (idle === undefined && this.threads.size >= THREADS) return;
      const taken = task;
      this.waiting = this.waiting.filter((other) => other !== taken);
      this.give(idle ?? this.add(), taken);
    }
  }

  /** The first whose repository has no thread. */
  private next(): Task | undefined {
    const busy = new Set([...this.threads].map(({ task }) => task?.repositoryId));
    return this.waiting.find(({ repositoryId }) => !busy.has(repositoryId));
  }

  private add(): Thread {
    const worker = new Worker(this.options.module, {
      resourceLimits: { maxOldGenerationSizeMb: this.memoryMb },
      ...(this.options.execArgv && { execArgv: this.options.execArgv }),
      // Settings and secrets of the process are none of its business.
      env: {},
    });
    const thread: Thread = { worker, isReady: false, task: null, timer: undefined };
    this.threads.add(thread);
    worker.on('message', (message: ThreadMessage) => this.receive(thread, message));
    worker.on('error', (error: NodeJS.ErrnoException) => this.fail(thread, error));
    worker.on('exit', (code) => {
      if (this.threads.has(thread)) this.fail(thread, new Error(`it exited with code ${code}`));
    });
    return thread;
  }

  private give(thread: Thread, task: Task): void {
    clearTimeout(thread.timer);
    thread.task = task;
    thread.worker.ref();
    if (thread.isReady) this.start(thread, task);
  }

  private start(thread: Thread, { job }: Task): void {
    // A copy, because other files may have the same bytes, and a second attempt needs them.
    const bytes = new Uint8Array(job.bytes);
    thread.worker.postMessage({ ...job, bytes }, [bytes.buffer]);
    thread.timer = setTimeout(() => {
      this.stop(thread, `it took longer than ${this.timeLimitMs / 1000} seconds`);
    }, this.timeLimitMs);
  }

  private receive(thread: Thread, message: ThreadMessage): void {
    const { task } = thread;
    if (message.kind === 'ready') {
      thread.isReady = true;
      if (task !== null) this.start(thread, task);
      return;
    }
    clearTimeout(thread.timer);
    thread.task = null;
    if (message.kind === 'done') task?.resolve(message.content);
    else task?.reject(new RepotideError(message.error.kind, message.error.code, message.error.message));
    this.dispatch();
    if (thread.task === null) this.rest(thread);
  }

  private rest(thread: Thread): void {
    thread.worker.unref();
    thread.timer = setTimeout(() => void this.remove(thread), IDLE_MS).unref();
  }

  private fail(thread: Thread, error: NodeJS.ErrnoException): void {
    if (error.code === 'ERR_WORKER_OUT_OF_MEMORY') {
      this.stop(thread, `it needs more than ${this.memoryMb} MB of memory`);
      return;
    }
    const message = `A thread that reads files ended: ${error.message}`;
    thread.task?.reject(new RepotideError('internal', 'content_thread_failed', message, { cause: error }));
    void this.remove(thread);
    this.dispatch();
  }

  private stop(thread: Thread, fault: string): void {
    const { task } = thread;
    void this.remove(thread);
    if (task !== null) {
      task.stops++;
      if (task.stops < MAX_STOPS) this.waiting.unshift(task);
      else task.resolve(tooCostly(`reading, scanning and splitting was stopped twice: ${fault}`));
    }
    this.dispatch();
  }

  private async remove(thread: Thread): Promise<void> {
    clearTimeout(thread.timer);
    this.threads.delete(thread);
    await thread.worker.terminate();
  }
}

function tooCostly(detail: string): PreparedContent {
  return { chunks: [], skip: { reason: 'too_costly', detail }, secretsFound: 0, secretDetail: null };
}

/** `Promise.withResolvers` of Node 22. */
function withResolvers<T>() {
  let resolve!: (value: T) => void;
  let reject!: (reason: unknown) => void;
  const promise = new Promise<T>((onValue, onReason) => {
    resolve = onValue;
    reject = onReason;
  });
  return { promise, resolve, reject };
}

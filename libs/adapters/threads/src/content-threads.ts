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
  signal: AbortSignal;
  resolve: (content: PreparedContent) => void;
  reject: (reason: unknown) => void;
  /** How often a thread was stopped because of it. */
  stops: number;
}

interface Thread {
  worker: Worker;
  isReady: boolean;
  /** Contents of one repository, in the order of work: the thread works on the first, the others are sent so that it need not wait. */
  tasks: Task[];
  timer: NodeJS.Timeout | undefined;
}

/** One repository uses at most one thread, so that another one always has one while a hostile one waits for its limit. */
const THREADS = 2;
/** An ordinary file takes milliseconds, one of the size limit less than a second. */
const TIME_LIMIT_MS = 10_000;
const MEMORY_MB = 256;
/** A third of what a thread would take; it is filled and emptied many times a second. */
const YOUNG_MB = 16;
/** A busy machine may once be the reason; a second time it is the content. */
const MAX_STOPS = 2;
const IDLE_MS = 30_000;
/** Contents that a thread has at once, and their bytes, which are copied. */
const MAX_SENT = 8;
const MAX_SENT_BYTES = 512 * 1024;

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
    const task: Task = { job, repositoryId, signal, resolve, reject, stops: 0 };
    const onAbort = (): void => this.drop(signal);
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
    for (const { tasks } of this.threads) for (const task of tasks) task.reject(stopped);
    await Promise.all([...this.threads].map((thread) => this.remove(thread)));
  }

  /** A thread that has such a content is stopped: it may be the reason why nobody wants to wait any more. */
  private drop(signal: AbortSignal): void {
    const isDropped = (task: Task): boolean => task.signal === signal;
    for (const thread of this.threads) if (thread.tasks.some(isDropped)) this.replace(thread);
    for (const task of this.waiting.filter(isDropped)) task.reject(signal.reason);
    this.waiting = this.waiting.filter((task) => !isDropped(task));
    this.dispatch();
  }

  private dispatch(): void {
    if (this.isClosed) return;
    const waiting = this.waiting;
    this.waiting = [];
    for (const task of waiting) {
      const thread = this.threadFor(task);
      if (thread === null) this.waiting.push(task);
      else this.give(thread, task);
    }
  }

  /** The one that works for its repository, or one without work. Null: it must wait. */
  private threadFor(task: Task): Thread | null {
    const threads = [...this.threads];
    const own = threads.find(({ tasks }) => isOf(task, tasks[0]));
    if (own !== undefined) {
      // Another repository waits longer for a thread: this one becomes free first.
      if (this.waiting.some((other) => !threads.some(({ tasks }) => isOf(other, tasks[0])))) return null;
      const bytes = own.tasks.reduce((sum, sent) => sum + sent.job.bytes.length, task.job.bytes.length);
      return own.tasks.length < MAX_SENT && bytes <= MAX_SENT_BYTES ? own : null;
    }
    const idle = threads.find(({ tasks }) => tasks.length === 0);
    return idle ?? (threads.length < THREADS ? this.add() : null);
  }

  private add(): Thread {
    const worker = new Worker(this.options.module, {
      resourceLimits: { maxOldGenerationSizeMb: this.memoryMb, maxYoungGenerationSizeMb: YOUNG_MB },
      ...(this.options.execArgv && { execArgv: this.options.execArgv }),
      // Settings and secrets of the process are none of its business.
      env: {},
    });
    const thread: Thread = { worker, isReady: false, tasks: [], timer: undefined };
    this.threads.add(thread);
    worker.on('message', (message: ThreadMessage) => this.receive(thread, message));
    worker.on('error', (error: NodeJS.ErrnoException) => this.fail(thread, error));
    worker.on('exit', (code) => {
      if (this.threads.has(thread)) this.fail(thread, new Error(`it exited with code ${code}`));
    });
    return thread;
  }

  private give(thread: Thread, task: Task): void {
    thread.tasks.push(task);
    if (thread.tasks.length === 1) {
      clearTimeout(thread.timer);
      thread.worker.ref();
    }
    if (thread.isReady) this.send(thread, task);
  }

  private send(thread: Thread, task: Task): void {
    const { job } = task;
    // A copy, because other files may have the same bytes, and a second attempt needs them.
    const bytes = new Uint8Array(job.bytes);
    thread.worker.postMessage({ ...job, bytes }, [bytes.buffer]);
    if (task === thread.tasks[0]) this.limitTime(thread);
  }

  /** Called for the first content: the thread begins it now. */
  private limitTime(thread: Thread): void {
    thread.timer = setTimeout(() => {
      this.stop(thread, `it took longer than ${this.timeLimitMs / 1000} seconds`);
    }, this.timeLimitMs);
  }

  private receive(thread: Thread, message: ThreadMessage): void {
    if (message.kind === 'ready') {
      thread.isReady = true;
      for (const task of thread.tasks) this.send(thread, task);
      return;
    }
    clearTimeout(thread.timer);
    const task = thread.tasks.shift();
    if (thread.tasks.length > 0) this.limitTime(thread);
    if (message.kind === 'done') task?.resolve(message.content);
    else task?.reject(new RepotideError(message.error.kind, message.error.code, message.error.message));
    this.dispatch();
    if (thread.tasks.length === 0) this.rest(thread);
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
    const failure = new RepotideError('internal', 'content_thread_failed', message, { cause: error });
    thread.tasks.shift()?.reject(failure);
    this.replace(thread);
    this.dispatch();
  }

  private stop(thread: Thread, fault: string): void {
    const [task] = thread.tasks;
    if (task !== undefined) {
      task.stops++;
      if (task.stops >= MAX_STOPS) {
        thread.tasks.shift();
        task.resolve(tooCostly(`reading, scanning and splitting was stopped twice: ${fault}`));
      }
    }
    this.replace(thread);
    this.dispatch();
  }

  /** Its contents wait for another thread, before the others of their repository. */
  private replace(thread: Thread): void {
    this.waiting.unshift(...thread.tasks);
    thread.tasks = [];
    void this.remove(thread);
  }

  private async remove(thread: Thread): Promise<void> {
    clearTimeout(thread.timer);
    this.threads.delete(thread);
    await thread.worker.terminate();
  }
}

function isOf({ repositoryId }: Task, other: Task | undefined): boolean {
  return other?.repositoryId === repositoryId;
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

import { type ChildProcessWithoutNullStreams } from 'node:child_process';
import { RepotideError } from '@core/domain';
import { endOf, spawnGit } from './git-command.js';

export interface GitObject {
  sha: string;
  type: string;
  sizeBytes: number;
  /** Empty when the caller requested only the header. */
  content: Buffer;
}

interface PendingRead {
  name: string;
  resolve(object: GitObject | null): void;
  reject(error: Error): void;
}

const NOTHING = Buffer.alloc(0);

/**
 * Reads objects from one long-lived `git cat-file`. It answers in the order of the requests, so any number of requests may be
 * pending. The process starts with the first request, and again after it ended.
 */
export class ObjectReader {
  private child: ChildProcessWithoutNullStreams | null = null;
  private ended: Promise<unknown> = Promise.resolve();
  private pending: PendingRead[] = [];
  private header = NOTHING;
  private body: { object: GitObject; bytes: Buffer; filled: number } | null = null;
  private isClosed = false;

  constructor(
    private readonly directory: string,
    private readonly mode: '--batch' | '--batch-check',
  ) {}

  /**
   * @param name a SHA or a revision expression that the caller has validated; it must not contain a line break.
   * @returns null when the repository has no such object.
   */
  read(name: string): Promise<GitObject | null> {
    if (/[\n\0]/.test(name)) return Promise.resolve(null);
    if (this.isClosed) return Promise.reject(stopped());
    return new Promise((resolve, reject) => {
      this.pending.push({ name, resolve, reject });
      this.process().stdin.write(`${name}\n`);
    });
  }

  /** Ends the process and waits for it; rejects pending requests. */
  async close(): Promise<void> {
    this.isClosed = true;
    this.child?.kill('SIGKILL');
    await this.ended;
  }

  private process(): ChildProcessWithoutNullStreams {
    if (this.child !== null) return this.child;
    const child = spawnGit(this.directory, ['cat-file', this.mode]);
    child.stdout.on('data', (chunk: Buffer) => this.consume(chunk));
    child.stderr.resume();
    this.ended = endOf(child).then(() => this.forget(child));
    this.child = child;
    return child;
  }

  private forget(child: ChildProcessWithoutNullStreams): void {
    if (this.child !== child) return;
    this.child = null;
    this.header = NOTHING;
    this.body = null;
    for (const read of this.pending.splice(0)) read.reject(stopped());
  }

  private consume(chunk: Buffer): void {
    let rest = chunk;
    while (rest.length > 0) rest = this.body === null ? this.readHeader(rest) : this.fillBody(rest);
  }

  private readHeader(chunk: Buffer): Buffer {
    const end = chunk.indexOf('\n');
    this.header = Buffer.concat([this.header, end < 0 ? chunk : chunk.subarray(0, end)]);
    if (end < 0) return NOTHING;
    const [sha = '', type = '', size = ''] = this.header.toString().split(' ');
    const isFound = /^([0-9a-f]{40}|[0-9a-f]{64})$/.test(sha) && /^\d+$/.test(size);
    this.header = NOTHING;
    const object = { sha, type, sizeBytes: Number(size), content: NOTHING };
    if (!isFound) this.settle(null);
    else if (this.mode === '--batch-check') this.settle(object);
    // Git adds a line break after the content.
    else this.body = { object, bytes: Buffer.allocUnsafe(object.sizeBytes + 1), filled: 0 };
    return chunk.subarray(end + 1);
  }

  private fillBody(chunk: Buffer): Buffer {
    const body = this.body;
    if (body === null) return chunk;
    const copied = chunk.copy(body.bytes, body.filled);
    body.filled += copied;
    if (body.filled === body.bytes.length) {
      this.body = null;
      this.settle({ ...body.object, content: body.bytes.subarray(0, body.object.sizeBytes) });
    }
    return chunk.subarray(copied);
  }

  private settle(object: GitObject | null): void {
    this.pending.shift()?.resolve(object);
  }
}

function stopped(): RepotideError {
  return new RepotideError('temporary', 'git_stopped', 'git cat-file ended before it answered.');
}

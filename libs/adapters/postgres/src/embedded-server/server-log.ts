import { copyFile, open, stat, truncate } from 'node:fs/promises';

/** One former and one current file of this size at most, but for what is written between two looks. */
const MAX_LOG_BYTES = 5 * 1024 * 1024;
const LOOK_EVERY_MS = 60_000;
const TAIL_BYTES = 2_000;

/** Keeps the log bounded while the server writes it: it appends, so the file may be cut under its hands. */
export async function boundLog(logFile: string, maxBytes = MAX_LOG_BYTES): Promise<void> {
  if ((await logSize(logFile)) <= maxBytes) return;
  await copyFile(logFile, `${logFile}.1`);
  await truncate(logFile, 0);
}

/** Looks now and then until stopped; does not keep the process alive. A failed look is made good by the next. */
export function keepLogBounded(logFile: string): () => void {
  const timer = setInterval(() => void boundLog(logFile).catch(() => undefined), LOOK_EVERY_MS);
  timer.unref();
  return () => clearInterval(timer);
}

export async function logSize(logFile: string): Promise<number> {
  return stat(logFile).then(
    ({ size }) => size,
    () => 0,
  );
}

/** What was written after `offset`, its end at most, on one line. The server is told to log no statement and no data. */
export async function logTail(logFile: string, offset: number): Promise<string> {
  const file = await open(logFile, 'r').catch(() => null);
  if (file === null) return '';
  try {
    const { size } = await file.stat();
    const start = Math.max(offset, size - TAIL_BYTES, 0);
    const { buffer, bytesRead } = await file.read(Buffer.alloc(Math.max(size - start, 0)), {
      position: start,
    });
    return buffer.subarray(0, bytesRead).toString('utf8').trim().split('\n').join(' | ');
  } finally {
    await file.close();
  }
}

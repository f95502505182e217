import { copyFile, open, stat, truncate } from 'node:fs/promises';

/** At most one former and one current file of this size, plus what is written between two checks. */
const MAX_LOG_BYTES = 5 * 1024 * 1024;
const LOOK_EVERY_MS = 60_000;
const TAIL_BYTES = 2_000;

/** Bounds the log while the server writes it. The server appends, so the file may be truncated while it is open. */
export async function boundLog(logFile: string, maxBytes = MAX_LOG_BYTES): Promise<void> {
  if ((await logSize(logFile)) <= maxBytes) return;
  await copyFile(logFile, `${logFile}.1`);
  await truncate(logFile, 0);
}

/** Checks the size regularly; the next check repeats a failed one. Does not keep the process alive. */
export function keepLogBounded(logFile: string): NodeJS.Timeout {
  return setInterval(() => void boundLog(logFile).catch(() => undefined), LOOK_EVERY_MS).unref();
}

export async function logSize(logFile: string): Promise<number> {
  return stat(logFile).then(
    ({ size }) => size,
    () => 0,
  );
}

/** The end of the log after `offset`, on one line. The server is configured to log no statements and no data. */
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

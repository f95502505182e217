import { appendFile, mkdtemp, open, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { boundLog, logSize, logTail } from './server-log.js';

let folder: string;
let logFile: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'repotide-log-'));
  logFile = join(folder, 'postgres.log');
});
afterEach(() => rm(folder, { recursive: true, force: true }));

describe('the server log', () => {
  it('is truncated while the server writes it, and its former content is kept once', async () => {
    const writer = await open(logFile, 'a');
    await writer.write('old words\n');
    await boundLog(logFile, 5);
    await writer.write('new\n');
    await writer.close();
    expect(await readFile(logFile, 'utf8')).toBe('new\n');
    expect(await readFile(`${logFile}.1`, 'utf8')).toBe('old words\n');
  });

  it('is not truncated while it is small, and may be missing', async () => {
    await boundLog(logFile, 5);
    await appendFile(logFile, 'short');
    await boundLog(logFile, 5);
    expect((await stat(logFile)).size).toBe(5);
  });

  it('shows its end on one line, but nothing from before the offset', async () => {
    await appendFile(logFile, 'before\n');
    const offset = await logSize(logFile);
    await appendFile(logFile, 'FATAL: one\nFATAL: two\n');
    expect(await logTail(logFile, offset)).toBe('FATAL: one | FATAL: two');
    expect(await logTail(join(folder, 'none'), 0)).toBe('');
  });

  it('shows no more than the last 2000 bytes', async () => {
    await appendFile(logFile, `${'x'.repeat(5_000)}end`);
    const tail = await logTail(logFile, 0);
    expect(tail).toHaveLength(2_000);
    expect(tail.endsWith('end')).toBe(true);
  });
});

import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const run = promisify(execFile);
const REPOSITORY = fileURLToPath(new URL('../../', import.meta.url));
const CHART = 'deploy/helm/repotide';

/** @param given a folder, an archive, or a commit of this repository. @returns what Helm takes as a chart. */
export async function formerChart(given: string, folder: string): Promise<string> {
  if (existsSync(given)) return given;
  const archive = join(folder, 'former-chart.tar');
  try {
    await run('git', ['-C', REPOSITORY, 'archive', '--output', archive, given, CHART]);
  } catch (error) {
    throw new Error(
      `--from ${given}: expected a folder, an archive, or a commit of this repository with ${CHART}.`,
      {
        cause: error,
      },
    );
  }
  const unpacked = join(folder, 'former');
  await mkdir(unpacked, { recursive: true });
  await run('tar', ['--extract', '--file', archive, '--directory', unpacked]);
  return join(unpacked, CHART);
}

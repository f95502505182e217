import { serve } from '../../../server/src/index.js';
import { setStage } from './stage.js';

/** The same for every repository, so that the commands in docs/api.md work unchanged. */
const PROJECT_NAME = 'project';

/** Variables that the user may set. No others are used, so that the demo cannot touch a real installation. */
const PASSED_ON = ['HOST', 'PORT', 'REPOTIDE_ADMIN_TOKEN'] as const;

/**
 * Runs the service on a copy of a git repository until SIGINT or SIGTERM, so that people can try the API. A stand-in
 * for GitLab serves the copy. All data is deleted at the end.
 * @returns when the service listens.
 * @throws errors of {@link setStage} and of the service's start, after it has deleted all data.
 */
export async function serveDemo({ path, logLevel }: { path: string; logLevel: string }): Promise<void> {
  const stage = await setStage(path, logLevel, PROJECT_NAME);
  const chosen = Object.fromEntries(PASSED_ON.map((name) => [name, process.env[name]]));
  try {
    // By default, a demo accepts connections from this machine only.
    await serve({ ...chosen, HOST: chosen.HOST ?? '127.0.0.1', ...stage.env }, () => stage.close());
  } catch (error) {
    await stage.close();
    throw error;
  }
  process.stderr.write(
    `${path} stands in for the GitLab project ${stage.projectPath}, until Ctrl-C; nothing is kept.\n` +
      'docs/api.md has requests to try on it.\n',
  );
}

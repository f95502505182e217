import { serve } from '../../../server/src/index.js';
import { setStage } from './stage.js';

/** The same for every repository, so that the lines of docs/api.md can be copied as they are. */
const PROJECT_NAME = 'project';

/** What a caller may choose; all else is the stage's, so that the demo touches nothing of a real installation. */
const PASSED_ON = ['HOST', 'PORT', 'REPOTIDE_ADMIN_TOKEN'] as const;

/**
 * Runs the service on a copy of a git repository, behind a stand-in for GitLab, until SIGINT or SIGTERM: something to
 * try the API on. Nothing is kept.
 * @returns when it listens.
 * @throws what {@link setStage} and the start of the service throw; nothing is left then.
 */
export async function serveDemo({ path, logLevel }: { path: string; logLevel: string }): Promise<void> {
  const stage = await setStage(path, logLevel, PROJECT_NAME);
  const chosen = Object.fromEntries(PASSED_ON.map((name) => [name, process.env[name]]));
  try {
    // This machine only, unless asked otherwise: it is a demo.
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

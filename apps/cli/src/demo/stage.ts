import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { cloneForDemo, startGitLabStandIn, type DemoClone, type GitLabStandIn } from '@devkit';
import { RepotideError } from '@core/domain';

/** Everything that the demo works on, in a temporary folder. */
export interface Stage {
  clone: DemoClone;
  gitlab: GitLabStandIn;
  projectPath: string;
  /** A complete environment: the demo ignores the process's environment. */
  env: Record<string, string>;
  close(): Promise<void>;
}

/**
 * Copies the repository's checked-out commit, serves the copy over the GitLab API, and points Repotide at it.
 * @param projectName the last part of the project's path; default: the name of the repository's folder.
 * @throws invalid `not_a_git_repository`, `repository_empty`.
 */
export async function setStage(path: string, logLevel: string, projectName?: string): Promise<Stage> {
  const directory = await mkdtemp(join(tmpdir(), 'repotide-demo-'));
  try {
    const clone = await cloneForDemo(path, join(directory, 'repository.git'));
    if (clone.commit === null) {
      throw new RepotideError(
        'invalid',
        'repository_empty',
        `${path} has no commit yet; the demo needs at least one.`,
      );
    }
    const gitlab = await startGitLabStandIn();
    const projectPath = `demo/${projectName ?? clone.name}`;
    await gitlab.addProject({
      path: projectPath,
      gitDir: clone.repository.directory,
      defaultBranch: clone.branch,
    });
    const close = async (): Promise<void> => {
      await gitlab.stop();
      await rm(directory, { recursive: true, force: true });
    };
    return { clone, gitlab, projectPath, env: environment(gitlab, directory, logLevel), close };
  } catch (error) {
    await rm(directory, { recursive: true, force: true });
    throw error;
  }
}

function environment(gitlab: GitLabStandIn, directory: string, logLevel: string): Record<string, string> {
  return {
    GITLAB_URL: gitlab.url,
    GITLAB_TOKEN: gitlab.token,
    REPOTIDE_DATA_DIR: join(directory, 'data'),
    POD_NAME: 'demo',
    LOG_LEVEL: logLevel,
  };
}

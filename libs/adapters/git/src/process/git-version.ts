import { tmpdir } from 'node:os';
import { RepotideError } from '@core/domain';
import { askGit } from './run-git.js';

/** The oldest version that the tests run with. */
const MIN_VERSION = { major: 2, minor: 39 } as const;

/** @throws invalid `git_missing`, `git_too_old`. */
export async function assertGitVersion(signal: AbortSignal): Promise<void> {
  const answer = await askGit({ directory: tmpdir(), args: ['version'], signal });
  const [, major = '0', minor = '0'] = /(\d+)\.(\d+)/.exec(answer) ?? [];
  const isEnough =
    Number(major) > MIN_VERSION.major ||
    (Number(major) === MIN_VERSION.major && Number(minor) >= MIN_VERSION.minor);
  if (isEnough) return;
  const message =
    `Found "${answer.trim()}", expected git ${MIN_VERSION.major}.${MIN_VERSION.minor} or newer. ` +
    'Install a newer git, or set SOURCE_TRANSPORT=rest.';
  throw new RepotideError('invalid', 'git_too_old', message);
}

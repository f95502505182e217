import { bytesOfPath, type Repository } from '@core/domain';

export interface Lines {
  path: string;
  commit: string;
  startLine: number;
  endLine: number;
}

/** The address of these lines at that commit on the repository's host; null where the form of its links is unknown. */
export function linkToLines(
  { provider, baseUrl, projectPath }: Pick<Repository, 'provider' | 'baseUrl' | 'projectPath'>,
  { path, commit, startLine, endLine }: Lines,
): string | null {
  const file = path.split('/').map(urlPartOf).join('/');
  if (provider === 'git') return linkByUrl(projectPath, `${commit}/${file}`, startLine, endLine);
  const lines = endLine > startLine ? `L${startLine}-${endLine}` : `L${startLine}`;
  return `${baseUrl}/${projectPath}/-/blob/${commit}/${file}#${lines}`;
}

/** The escaped bytes of a name, which may not be UTF-8. */
function urlPartOf(name: string): string {
  const escape = (byte: string): string =>
    `%${byte.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`;
  return bytesOfPath(name)
    .toString('latin1')
    .replace(/[^\w.!~*'()-]/g, escape);
}

/** GitHub's form, for its own host only: another host at any address may have any form. */
function linkByUrl(url: string, file: string, startLine: number, endLine: number): string | null {
  if (!/^https:\/\/github\.com\/[^/]+\/[^/]+$/.test(url)) return null;
  return `${url.replace(/\.git$/, '')}/blob/${file}#L${startLine}-L${endLine}`;
}

interface GitSignature {
  name: string;
  email: string;
  /** ISO 8601 with the author's own offset, as GitLab formats it. */
  date: string;
}

export interface GitCommit {
  sha: string;
  parents: string[];
  author: GitSignature;
  committer: GitSignature;
  message: string;
}

/** Parses the text of a commit object. */
export function parseCommit(sha: string, content: Buffer): GitCommit {
  const text = content.toString();
  const split = text.indexOf('\n\n');
  const lines = text.slice(0, split).split('\n');
  const valuesOf = (key: string) =>
    lines.filter((line) => line.startsWith(`${key} `)).map((line) => line.slice(key.length + 1));
  return {
    sha,
    parents: valuesOf('parent'),
    author: parseSignature(valuesOf('author')[0] ?? ''),
    committer: parseSignature(valuesOf('committer')[0] ?? ''),
    message: text.slice(split + 2),
  };
}

function parseSignature(line: string): GitSignature {
  const match = /^(.*?) ?<(.*)> (\d+) ([+-])(\d\d)(\d\d)$/.exec(line);
  if (match === null) return { name: line, email: '', date: new Date(0).toISOString() };
  const [, name = '', email = '', seconds = '0', sign = '+', hours = '00', minutes = '00'] = match;
  const offsetMinutes = (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes));
  const local = new Date((Number(seconds) + offsetMinutes * 60) * 1000).toISOString().slice(0, -1);
  return { name, email, date: `${local}${sign}${hours}:${minutes}` };
}

/** One line of a rule file. */
export interface RuleLine {
  /** From 1. */
  line: number;
  text: string;
}

/** Lines as git reads them: without a byte order mark and without the carriage return of a line's end. */
export function linesOf(text: string): RuleLine[] {
  return text
    .replace(/^\uFEFF/, '')
    .split('\n')
    .map((line, index) => ({ line: index + 1, text: line.replace(/\r$/, '') }));
}

/** The folder of a rule file with a slash at its end; empty for the root. */
export function folderOf(path: string): string {
  return path.slice(0, path.lastIndexOf('/') + 1);
}

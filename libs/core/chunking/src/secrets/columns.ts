import { isChosenPasswordInCode } from './chosen-passwords.js';
import { type SecretFinding } from './finding.js';
import { isGenerated } from './randomness.js';

/** The head of a column of secrets: `user,password` in CSV, `| User | Password |` in Markdown. */
const HEAD =
  /(?:^|[|,;\t])[ \t]{0,20}["'`*]{0,2}(?:[\w-]{1,20}[ _-])?(?:password|passwd|pwd|passphrase|secret|token|api[ _-]?key)["'`*]{0,2}[ \t]{0,20}(?=[|,;\t\r\n]|$)/gim;
/** Texts without any of them are not searched: heads in Markdown and CSV. */
export const COLUMN_HINTS: readonly string[] = [
  ...['assword |', 'ASSWORD |', 'assword` |'],
  ...['password', 'passwd', 'pwd', 'secret', 'token', 'api_key', 'Password'].flatMap((name) =>
    [',', ';', '	'].map((separator) => separator + name),
  ),
  ...['assword;', 'assword	', 'password,', 'passwd,'],
];
const CELL = /^[ \t]{0,40}["'`*]{0,2}[\w .@()/-]{0,40}["'`*]{0,2}[ \t]{0,40}$/;
const SEPARATORS = ['|', '\t', ';', ','];
/** Between the head and the rows of a table in Markdown. */
const RULE = /^[\s|:-]+$/;
const LONGEST_LINE = 2000;

/** Finds passwords and tokens below the head of their column. */
export function findInColumns(text: string): SecretFinding[] {
  const found: SecretFinding[] = [];
  HEAD.lastIndex = 0;
  for (let match = HEAD.exec(text); match !== null; match = HEAD.exec(text)) {
    const at = match.index + match[0].length;
    const start = text.lastIndexOf('\n', at - 1) + 1;
    const head = lineAt(text, start);
    // Each line is read once: the search goes on behind the table.
    HEAD.lastIndex = readTable(text, start, head, found);
  }
  return found;
}

/** Adds the secrets of the rows; returns where the table ends. */
function readTable(text: string, headAt: number, head: string, found: SecretFinding[]): number {
  const separator = SEPARATORS.find((sign) => head.includes(sign));
  let at = headAt + head.length + 1;
  if (separator === undefined) return at;
  const names = head.split(separator);
  // The names of a list, one on each line, are no head.
  if (names.filter((name) => name.trim() !== '').length < 2) return at;
  if (!names.every((name) => CELL.test(name))) return at;
  const columns = names.flatMap((name, index) => (isNameOfSecret(name) ? [index] : []));
  for (; at < text.length;) {
    const row = lineAt(text, at);
    const cells = row.split(separator);
    if (cells.length !== names.length || row.length > LONGEST_LINE) break;
    if (!RULE.test(row))
      for (const column of columns) {
        const cell = cells[column] ?? '';
        const value = cell.replace(/^[\s"'`*]+|[\s"'`*]+$/g, '');
        if (!isChosenPasswordInCode(value) && !isGenerated(value)) continue;
        const start = at + cells.slice(0, column).join(separator).length + (column > 0 ? 1 : 0);
        const first = start + cell.indexOf(value);
        found.push({ rule: 'password', start: first, end: first + value.length });
      }
    at += row.length + 1;
  }
  return at;
}

function isNameOfSecret(name: string): boolean {
  HEAD.lastIndex = 0;
  return HEAD.test(name);
}

function lineAt(text: string, start: number): string {
  const end = text.indexOf('\n', start);
  return text.slice(start, end === -1 ? text.length : end);
}

import { isMixed } from './assignments.js';
import { isPlaceholder, type SecretFinding } from './finding.js';

/** A password by its place: after the option of a command, after a directive, in a column. */
interface Place {
  /** Every match contains one of them. */
  hints: RegExp;
  /** Global, with the group `secret`. Every run is bounded. */
  pattern: RegExp;
}

const PLACES: readonly Place[] = [
  // `curl -u user:password`, `wget --user=a:b`
  {
    hints: /curl|--user/,
    pattern:
      /\b(?:curl|http|wget)\b[^\n]{0,200}?\s(?:-u|--user)[ =]{0,2}["']?[\w.@+-]{1,64}:(?<secret>[^\s"'`]{6,200})/g,
  },
  // `sshpass -p password`, `mysql -ppassword`
  {
    hints: /sshpass|mysql|mariadb/,
    pattern:
      /\b(?:sshpass\s{1,3}-p\s{0,3}|(?:mysql|mariadb)[\w-]{0,10}\b[^\n]{0,100}?\s-p)["']?(?<secret>[^\s"'`]{6,200})/g,
  },
  // PowerShell
  {
    hints: /ConvertTo-SecureString/i,
    pattern: /ConvertTo-SecureString\s{1,3}(?:-String\s{1,3})?["'](?<secret>[^"'\n]{6,200})["']/gi,
  },
  // .netrc
  {
    hints: /login/,
    pattern: /\blogin\s{1,8}\S{1,100}\s{1,8}password\s{1,8}(?<secret>\S{6,200})/g,
  },
  // .pgpass: host, port, database and user before the password
  {
    hints: /:/,
    pattern: /^[\w.*-]{1,100}:(?:[1-6]\d{3,4}|\*):[\w*.-]{1,63}:[\w*.-]{1,63}:(?<secret>[^\s:]{6,200})$/gm,
  },
  // A directive of a configuration file: `requirepass ...`, `BindPassword ...`
  {
    hints: /pass|bindpw|masterauth|secret/i,
    pattern:
      /^[ \t]{0,20}[\w.-]{0,40}(?:pass(?:word|wd|phrase)?|bindpw|masterauth|secret)[ \t]{1,8}["']?(?<secret>[^\s"'=:]{8,200})["']?[ \t]{0,8}$/gim,
  },
];

/** Finds passwords that follow a command, a directive or columns instead of a name and a sign. */
export function findArguments(text: string): SecretFinding[] {
  return PLACES.flatMap(({ hints, pattern }) => {
    if (!hints.test(text)) return [];
    return [...text.matchAll(pattern)].flatMap((match) => {
      const secret = match.groups?.['secret'] ?? '';
      // Words, variables and references are no passwords.
      if (!/\d/.test(secret) || !isMixed(secret) || isPlaceholder(secret) || /^[$%{<[(]/.test(secret))
        return [];
      const start = match.index + match[0].lastIndexOf(secret);
      return [{ rule: 'password', start, end: start + secret.length }];
    });
  });
}

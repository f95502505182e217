/** Words that are written in one with `pass`: `requirepass`, `dbpass`. */
const COMPOUND =
  /(?:require|master|root|user|db|smtp|ftp|ssh|my|mail|login|admin|store|key|bind|sudo|become|auth|http|proxy|svn|ldap)$/i;
const LONGEST = 12;

/** Whether a short name is a complete word of a longer one: `pass` is in `smtp_pass` and `smtpPass`, and is not in `compass`. */
export function isOwnWord(name: string, text: string, at: number): boolean {
  if (!/^(?:pass|pw)$/i.test(name)) return true;
  const before = text[at - 1] ?? ' ';
  if (!/[A-Za-z]/.test(before) || (/[a-z]/.test(before) && name.startsWith('P'))) return true;
  return COMPOUND.test(text.slice(Math.max(0, at - LONGEST), at));
}

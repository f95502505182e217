/**
 * Whether the text is valid as a branch, a tag or a SHA in a git command: the rules of `git check-ref-format`. Git can never
 * read a valid text as an option.
 */
export function isSafeRevision(revision: string): boolean {
  return (
    revision !== '' &&
    revision !== '@' &&
    !revision.startsWith('-') &&
    !/[\p{Cc} ~^:?*[\\]|\.\.|@\{|\/\/|\/\.|^\.|^\/|\/$|\.$|\.lock(\/|$)/u.test(revision)
  );
}

export function isFullSha(text: string): boolean {
  return /^([0-9a-f]{40}|[0-9a-f]{64})$/.test(text);
}

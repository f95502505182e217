import { RepotideError } from './errors.js';
import { compileWildmatch, type Wildmatch } from './wildmatch.js';

/** Matches whole paths, or whole names of projects and branches. */
export type Glob = (path: string) => boolean;

/** Each alternative is a separate pattern. */
const MAX_ALTERNATIVES = 100;

/**
 * Compiles a pattern of a setting: git's wildcards on the whole path, and `{a,b}`.
 * @param setting its name in the API.
 * @throws invalid `glob_invalid`; also for globs that can never match (negated, or with a slash at either end).
 */
export function compileGlob(glob: string, setting: string): Glob {
  const fault = faultOf(glob);
  if (fault !== null) throw globInvalid(glob, setting, fault);
  const alternatives = expandBraces(glob);
  if (typeof alternatives === 'string') throw globInvalid(glob, setting, alternatives);
  const compiled: Wildmatch[] = [];
  for (const alternative of alternatives) {
    const wildmatch = compileWildmatch(alternative);
    if (wildmatch === null) throw globInvalid(glob, setting, 'it has a broken [...] or ends with "\\"');
    compiled.push(wildmatch);
  }
  return (path) => {
    const names = path.split('/');
    return compiled.some((matches) => matches(names));
  };
}

function faultOf(glob: string): string | null {
  if (glob.trim() === '') return 'it is empty';
  if (glob.startsWith('!')) return 'it is negated; write it without "!" in the list that leaves out';
  if (glob.startsWith('/')) return 'paths begin without a slash; remove the first one';
  if (glob.endsWith('/')) return `it names a folder, and only what is in it is matched; write "${glob}**"`;
  const group = /(?<!\\)[@!?+*]\(/.exec(glob)?.[0];
  return group === undefined
    ? null
    : `groups such as "${group}...)" are not known; write {a,b}, or escape "("`;
}

/** The patterns without braces that together match the same; or what is wrong, as text. */
function expandBraces(glob: string): string[] | string {
  const group = firstGroup(glob);
  if (group === null) return [glob];
  if (group.end < 0) return 'a "{" has no "}"; a name with a brace is written with "\\{"';
  const rests = expandBraces(glob.slice(group.end + 1));
  const options = group.options.map(expandBraces);
  const fault = [...options, rests].find((found) => typeof found === 'string');
  if (fault !== undefined) return fault;
  const heads = options.flat();
  if (heads.length * rests.length > MAX_ALTERNATIVES) {
    return `its braces stand for more than ${MAX_ALTERNATIVES} patterns`;
  }
  // Without a comma it is a name with braces.
  const names = group.options.length > 1 ? heads : heads.map((name) => `{${name}}`);
  const before = glob.slice(0, group.start);
  return names.flatMap((name) => [...rests].map((rest) => before + name + rest));
}

/** The first `{...}` and its parts between commas, outside of brackets. */
function firstGroup(glob: string): { start: number; end: number; options: string[] } | null {
  const options: string[] = [];
  let start = -1;
  let optionStart = 0;
  let depth = 0;
  for (let position = 0; position < glob.length; position++) {
    const letter = glob[position];
    if (letter === '\\') position++;
    else if (letter === '[') position = Math.max(position, glob.indexOf(']', position + 2));
    else if (letter === '{') {
      if (depth++ > 0) continue;
      start = position;
      optionStart = position + 1;
    } else if (depth > 0 && (letter === '}' || letter === ',')) {
      if (letter === '}') depth--;
      if (depth > (letter === '}' ? 0 : 1)) continue;
      options.push(glob.slice(optionStart, position));
      optionStart = position + 1;
      if (depth === 0) return { start, end: position, options };
    }
  }
  return start < 0 ? null : { start, end: -1, options };
}

function globInvalid(glob: string, setting: string, fault: string): RepotideError {
  const message = `Invalid glob "${glob}" in ${setting}: ${fault}. Expected e.g. "src/**/*.ts" or "**/*.md".`;
  return new RepotideError('invalid', 'glob_invalid', message, { details: { field: setting, found: glob } });
}

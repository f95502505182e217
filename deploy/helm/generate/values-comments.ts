/** The parsed comment above a key of values.yaml. */
export interface ValueComment {
  /** The path of the key from the root, joined by dots. */
  path: string;
  /** The description, without the leading `--`; null for a key that only contains other keys. */
  description: string | null;
  /** The text after `@schema`: the name of a shape, or JSON. */
  schema: string | null;
  /** The latest `@section` above the key. */
  section: string;
}

interface Pending {
  description: string | null;
  schema: string | null;
}

const KEY = /^( *)([A-Za-z][\w.-]*):/;
const COMMENT = /^ *# ?(.*)$/;

/**
 * Reads the comments of values.yaml, in its order. Skips keys inside a value that has its own description: they are that
 * value's default.
 * @throws when a comment belongs to no key.
 */
export function readComments(yaml: string): ValueComment[] {
  const found: ValueComment[] = [];
  const parents: string[] = [];
  let pending: Pending = { description: null, schema: null };
  let section = '';
  let describedDepth = Infinity;
  for (const line of yaml.split('\n')) {
    const comment = COMMENT.exec(line)?.[1];
    if (comment !== undefined) {
      section = /^@section (.*)$/.exec(comment)?.[1] ?? section;
      pending = readLine(pending, comment);
      continue;
    }
    const [, indent = '', key] = KEY.exec(line) ?? [];
    if (key === undefined) {
      if (pending.description !== null) throw new Error(`"${pending.description}" belongs to no key.`);
      continue;
    }
    const depth = indent.length / 2;
    if (depth > describedDepth) continue;
    parents.splice(depth, Infinity, key);
    describedDepth = pending.description === null ? Infinity : depth;
    found.push({ path: parents.join('.'), ...pending, section });
    pending = { description: null, schema: null };
  }
  return found;
}

function readLine(pending: Pending, comment: string): Pending {
  const begun = /^-- (.*)$/.exec(comment)?.[1];
  if (begun !== undefined) return { description: begun, schema: null };
  const schema = /^@schema (.*)$/.exec(comment)?.[1];
  if (schema !== undefined) return { ...pending, schema };
  if (pending.description === null) return pending;
  return { ...pending, description: `${pending.description} ${comment}` };
}

/** What a term is: the same word weighs differently as a name, as a part of names, or where it is defined. */
export const KIND = { name: 'n', part: 'p', defined: 'd', spelled: 's', path: 'f' } as const;

/**
 * FNV-1a over UTF-16 units, then MurmurHash3's finalizer: the same on every machine. 32 bits with a sign, because a
 * map of unsigned ones, which V8 keeps as objects, takes twice as long; `Uint32Array` gives the term's id.
 */
export function hashOf(kind: string, text: string): number {
  let hash = Math.imul(0x811c9dc5 ^ kind.charCodeAt(0), 0x01000193);
  for (let position = 0; position < text.length; position++) {
    hash = Math.imul(hash ^ text.charCodeAt(position), 0x01000193);
  }
  let mixed = hash ^ (hash >>> 16);
  mixed = Math.imul(mixed, 0x85ebca6b);
  mixed ^= mixed >>> 13;
  mixed = Math.imul(mixed, 0xc2b2ae35);
  return mixed ^ (mixed >>> 16);
}

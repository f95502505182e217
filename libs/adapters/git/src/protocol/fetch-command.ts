import { encodeCommand } from './packet-lines.js';

export interface FetchCommand {
  /** SHAs of commits or blobs. */
  wants: readonly string[];
  /** Commits whose objects the client does not need; the server sends a pack only when it knows that this suffices. */
  haves?: readonly string[];
  /** True: a commit comes without its history. */
  isShallow: boolean;
  /** Which objects are left out; wanted ones never are. */
  filter: string | null;
}

/**
 * The request for one pack. Without an object that the client has, it ends the negotiation at once, so the answer is
 * complete in itself.
 */
export function encodeFetch({ wants, haves = [], isShallow, filter }: FetchCommand): Buffer {
  const lines = [
    ...['no-progress', 'ofs-delta', ...wants.map((sha) => `want ${sha}`)],
    ...(isShallow ? ['deepen 1'] : []),
    ...(filter === null ? [] : [`filter ${filter}`]),
    ...(haves.length === 0 ? ['done'] : haves.map((sha) => `have ${sha}`)),
  ];
  return encodeCommand('fetch', wants[0]?.length === 64 ? 'sha256' : 'sha1', lines);
}

import { DELIMITER, FLUSH, packetLine } from './packet-lines.js';

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
  const format = wants[0]?.length === 64 ? 'sha256' : 'sha1';
  const lines = [
    packetLine('command=fetch\n'),
    packetLine('agent=repotide\n'),
    packetLine(`object-format=${format}\n`),
    DELIMITER,
    packetLine('no-progress\n'),
    packetLine('ofs-delta\n'),
    ...wants.map((sha) => packetLine(`want ${sha}\n`)),
    ...(isShallow ? [packetLine('deepen 1\n')] : []),
    ...(filter === null ? [] : [packetLine(`filter ${filter}\n`)]),
    ...(haves.length === 0 ? [packetLine('done\n')] : haves.map((sha) => packetLine(`have ${sha}\n`))),
    FLUSH,
  ];
  return Buffer.from(lines.join(''));
}

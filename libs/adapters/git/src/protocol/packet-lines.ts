import { RepotideError } from '@core/domain';

/** The longest packet of git's protocol, with its length. */
const MAX_PACKET_BYTES = 65_520;
const LENGTH_BYTES = 4;

export type Packet = Buffer | 'flush' | 'delimiter' | 'end';

const MARKERS: readonly Packet[] = ['flush', 'delimiter', 'end'];

const FLUSH = '0000';
const DELIMITER = '0001';

/** A command of the protocol's version 2 with its arguments, one line each. */
export function encodeCommand(
  command: string,
  objectFormat: 'sha1' | 'sha256',
  lines: readonly string[],
): Buffer {
  const head = [`command=${command}`, 'agent=repotide', `object-format=${objectFormat}`];
  const encoded = [...head.map(packetLine), DELIMITER, ...lines.map(packetLine), FLUSH];
  return Buffer.from(encoded.join(''));
}

function packetLine(line: string): string {
  return `${(line.length + 1 + LENGTH_BYTES).toString(16).padStart(LENGTH_BYTES, '0')}${line}\n`;
}

/** Splits a stream into packets. Keeps at most one incomplete packet. */
export async function* readPackets(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Packet> {
  let rest: Buffer = Buffer.alloc(0);
  for await (const chunk of chunks) {
    const bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
    rest = rest.length === 0 ? bytes : Buffer.concat([rest, bytes]);
    let at = 0;
    while (rest.length - at >= LENGTH_BYTES) {
      const length = lengthAt(rest, at);
      const marker = MARKERS[length];
      if (marker === undefined && rest.length - at < length) break;
      yield marker ?? rest.subarray(at + LENGTH_BYTES, at + length);
      at += marker === undefined ? length : LENGTH_BYTES;
    }
    rest = rest.subarray(at);
  }
  if (rest.length > 0) throw gitAnswerInvalid('it ends within a packet', 'temporary');
}

function lengthAt(bytes: Buffer, at: number): number {
  const text = bytes.toString('latin1', at, at + LENGTH_BYTES);
  const length = /^[0-9a-f]{4}$/i.test(text) ? parseInt(text, 16) : NaN;
  const isPossible = length < MARKERS.length || (length >= LENGTH_BYTES && length <= MAX_PACKET_BYTES);
  if (isPossible) return length;
  throw gitAnswerInvalid('a packet has no valid length; is it a login page?', 'internal');
}

/** @param kind temporary: another try may get a whole answer. */
export function gitAnswerInvalid(found: string, kind: 'temporary' | 'internal'): RepotideError {
  const message =
    `The git answer of the code host does not match git's protocol: ${found}. ` +
    'Look for a proxy that cuts or changes answers, or set SOURCE_TRANSPORT=rest.';
  return new RepotideError(kind, 'git_answer_invalid', message);
}

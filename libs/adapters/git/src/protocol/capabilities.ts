import { RepotideError } from '@core/domain';
import { gitAnswerInvalid, readPackets } from './packet-lines.js';

/** More would be no list of capabilities: git sends a few hundred bytes. */
const MAX_PACKETS = 200;

export interface Capabilities {
  /** Whether objects can be left out of a pack. Without it every pack has the whole tree with all contents. */
  hasFilter: boolean;
  /** The hash of its objects' ids. */
  objectFormat: 'sha1' | 'sha256';
}

/** @throws invalid `git_protocol_unsupported`; as the stream. */
export async function readCapabilities(answer: AsyncIterable<Uint8Array>): Promise<Capabilities> {
  const lines: string[] = [];
  for await (const packet of readPackets(answer)) {
    if (typeof packet !== 'string') lines.push(packet.toString('utf8').trimEnd());
    if (lines.length > MAX_PACKETS)
      throw protocolUnsupported('it lists branches instead of its capabilities');
  }
  // Some servers name the service first, as in the versions before.
  if (lines[0]?.startsWith('# service=') === true) lines.shift();
  if (lines.length === 0) throw gitAnswerInvalid('it is empty', 'temporary');
  if (lines[0] !== 'version 2') throw protocolUnsupported('it does not know version 2');
  const fetch = lines.find((line) => /^fetch(=|$)/.test(line));
  const features = fetch?.slice('fetch='.length).split(' ') ?? [];
  if (!features.includes('shallow')) throw protocolUnsupported('it cannot send a commit without its history');
  const objectFormat = lines.includes('object-format=sha256') ? 'sha256' : 'sha1';
  return { hasFilter: features.includes('filter'), objectFormat };
}

function protocolUnsupported(found: string): RepotideError {
  const message =
    `The code host's git cannot be used: ${found}. The protocol's version 2 over HTTP is needed; a GitLab is read through ` +
    'its API instead.';
  return new RepotideError('invalid', 'git_protocol_unsupported', message);
}

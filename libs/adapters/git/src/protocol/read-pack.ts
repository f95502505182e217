import { RepotideError } from '@core/domain';
import { quoted } from '../process/run-git.js';
import { gitAnswerInvalid, type Packet, readPackets } from './packet-lines.js';

/** The first byte of a packet in the section of the pack. */
const BAND = { pack: 1, progress: 2, error: 3 } as const;

/**
 * The bytes of the pack in the answer to a fetch.
 * @throws temporary `git_answer_invalid`, `git_fetch_refused`; invalid `git_commit_unknown` when the commits that the
 *   client has do not lead to what it wants.
 */
export async function* readPack(answer: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer> {
  let isPack = false;
  let isAcknowledged = false;
  let last: Packet | null = null;
  for await (const packet of readPackets(answer)) {
    last = packet;
    if (typeof packet === 'string') continue;
    if (isPack) {
      if (packet[0] === BAND.error) throw refused(packet.subarray(1));
      if (packet[0] === BAND.pack) yield packet.subarray(1);
      continue;
    }
    if (packet.subarray(0, 4).toString('latin1') === 'ERR ') throw refused(packet.subarray(4));
    const line = packet.toString('latin1');
    isAcknowledged ||= line === 'acknowledgments\n';
    isPack = line === 'packfile\n';
  }
  if (!isPack && isAcknowledged && last === 'flush') throw commitUnknown();
  if (!isPack) throw gitAnswerInvalid('it has no pack', 'temporary');
  if (last !== 'flush') throw gitAnswerInvalid('it ends before the pack does', 'temporary');
}

function commitUnknown(): RepotideError {
  const message = "The code host's git does not have the former commit in the history of the wanted one.";
  return new RepotideError('invalid', 'git_commit_unknown', message);
}

function refused(message: Buffer): RepotideError {
  const text = `The code host's git refused to send objects ("${quoted(message.toString('utf8'))}"). A force push may have removed them.`;
  return new RepotideError('invalid', 'git_fetch_refused', text);
}

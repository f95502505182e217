import { RepotideError } from '@core/domain';
import { type Capabilities } from './capabilities.js';
import { encodeCommand, gitAnswerInvalid, readPackets } from './packet-lines.js';

/** A repository with more branches cannot be listed; one branch is found by its name. */
const MAX_REFS = 100_000;
const BRANCH = 'refs/heads/';

export interface Refs {
  /** The branch that HEAD points at; null: the host does not say, or there is no commit. */
  head: string | null;
  /** Commits by branch. */
  branches: Map<string, string>;
}

/** The request for HEAD and for the branches that begin with a prefix. */
export function encodeListRefs(prefix: string, { objectFormat }: Capabilities): Buffer {
  const lines = ['symrefs', 'ref-prefix HEAD', `ref-prefix ${BRANCH}${prefix}`];
  return encodeCommand('ls-refs', objectFormat, lines);
}

/** @throws temporary `git_answer_invalid`; as the stream. */
export async function readRefs(answer: AsyncIterable<Uint8Array>): Promise<Refs> {
  const refs: Refs = { head: null, branches: new Map() };
  let isEnded = false;
  let lines = 0;
  for await (const packet of readPackets(answer)) {
    isEnded = packet === 'flush';
    if (typeof packet === 'string') continue;
    lines += 1;
    if (lines > MAX_REFS) throw tooManyRefs();
    addRef(refs, packet.toString('utf8').trimEnd());
  }
  if (!isEnded) throw gitAnswerInvalid('its list of branches ends early', 'temporary');
  return refs;
}

/** `<id> refs/heads/main` or `<id> HEAD symref-target:refs/heads/main`. */
function addRef(refs: Refs, line: string): void {
  if (line.startsWith('ERR ')) throw gitAnswerInvalid('it refuses to list branches', 'internal');
  const [id = '', name = '', ...attributes] = line.split(' ');
  const target = attributes.find((attribute) => attribute.startsWith('symref-target:'));
  if (name === 'HEAD' && target !== undefined) refs.head = branchOf(target.slice('symref-target:'.length));
  const branch = branchOf(name);
  if (branch === null) return;
  if (!/^([0-9a-f]{40}|[0-9a-f]{64})$/.test(id)) throw gitAnswerInvalid('a branch has no commit', 'internal');
  refs.branches.set(branch, id);
}

function branchOf(ref: string): string | null {
  return ref.startsWith(BRANCH) ? ref.slice(BRANCH.length) : null;
}

function tooManyRefs(): RepotideError {
  const message = `The git host lists more than ${MAX_REFS} branches. Name the branch of the repository.`;
  return new RepotideError('invalid', 'git_refs_too_many', message);
}

import { createHash } from 'node:crypto';
import { open } from 'node:fs/promises';
import { type Schemas } from '../service/client.js';

type AuditCheck = Schemas['AuditCheckDto'];

/** A record of an earlier check, which must still be there. */
export interface Known {
  id: number;
  hash: string;
}

const LINE = /^\{"id":(\d+),"previous_hash":"([0-9a-f]{64})","hash":"([0-9a-f]{64})",(.*)$/;

/** Checks the chain of an export. Needs nothing but the file: the content of a record is the rest of its line. */
export async function checkFile(path: string, known: Known | undefined): Promise<AuditCheck> {
  const file = await open(path);
  const result: AuditCheck = { is_intact: true, checked: 0, head: null, anchor: null, broken: null };
  let isKnownFound = known === undefined;
  for await (const line of file.readLines()) {
    const [, id = '', previousHash, hash = '', content = ''] = LINE.exec(line) ?? [];
    const problem = problemOf(result.head, { id: Number(id), previousHash, hash, content });
    if (problem !== null) return { ...result, is_intact: false, broken: { id: Number(id), problem } };
    result.head = { id: Number(id), hash };
    result.checked += 1;
    isKnownFound ||= known?.id === Number(id) && known.hash === hash;
  }
  if (isKnownFound || known === undefined) return result;
  const problem = 'the known record is not in the file';
  return { ...result, is_intact: false, broken: { id: known.id, problem } };
}

function problemOf(
  prior: AuditCheck['head'],
  line: { id: number; previousHash: string | undefined; hash: string; content: string },
): string | null {
  if (line.previousHash === undefined) return 'the line is not an audit record';
  if (prior !== null && line.id !== prior.id + 1) return 'records before it are missing';
  if (prior !== null && line.previousHash !== prior.hash) return 'it does not continue the record before it';
  const hash = createHash('sha256').update(`${line.previousHash}\n{${line.content}`).digest('hex');
  return hash === line.hash ? null : 'its content was changed';
}

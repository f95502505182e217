import { createHash } from 'node:crypto';
import { open } from 'node:fs/promises';
import { InvalidArgumentError, type Command } from 'commander';
import { EXIT } from '../failure.js';
import { printJson } from '../output/tables.js';
import { answerOf, type Schemas } from '../service/client.js';
import { examples } from './options.js';
import { withService } from './with-service.js';

type AuditCheck = Schemas['AuditCheckDto'];

interface Known {
  id: number;
  hash: string;
}

export function addAuditCheckCommand(program: Command): void {
  const check = program
    .command('audit-check')
    .description('prove that no audit record was changed or removed; the exit code is 1 where one was')
    .argument('[export]', 'a file of GET /api/v1/audit/export; default: the audit log of the service')
    .option(
      '--known <id:hash>',
      'a record of an earlier check or export, which must still be there',
      parseKnown,
    )
    .option('--json', 'print the result as JSON')
    .action(
      async (file: string | undefined, options: { known?: Known; json?: boolean }, command: Command) => {
        const { known, json } = options;
        const result = file === undefined ? await checkService(command, known) : await checkFile(file, known);
        if (!result.is_intact) process.exitCode = EXIT.failed;
        if (json) printJson(result);
        else process.stdout.write(`${describe(result)}\n`);
      },
    );
  examples(check, 'repotide audit-check', 'repotide audit-check audit.jsonl --known 4711:9f86…');
}

function checkService(command: Command, known: Known | undefined): Promise<AuditCheck> {
  const query = known && { known_id: known.id, known_hash: known.hash };
  return withService(command, ({ client }) =>
    answerOf(client.GET('/api/v1/audit/check', { params: { query } })),
  );
}

function parseKnown(text: string): Known {
  const [, id, hash] = /^(\d{1,15}):([0-9a-f]{64})$/.exec(text) ?? [];
  if (id === undefined || hash === undefined)
    throw new InvalidArgumentError('expected the id of a record, a colon and its hash of 64 digits.');
  return { id: Number(id), hash };
}

function describe({ broken, checked, head, anchor }: AuditCheck): string {
  if (broken) return `Record ${broken.id} is wrong: ${broken.problem}.`;
  if (head === null) return 'There are no audit records.';
  const deleted = anchor ? `; retention has deleted the first ${anchor.last_id}` : '';
  return `${checked} records are intact${deleted}. The newest is ${head.id}:${head.hash}`;
}

const LINE = /^\{"id":(\d+),"previous_hash":"([0-9a-f]{64})","hash":"([0-9a-f]{64})",(.*)$/;

/** Needs nothing but the file: the content of a record is the rest of its line. */
async function checkFile(path: string, known: Known | undefined): Promise<AuditCheck> {
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

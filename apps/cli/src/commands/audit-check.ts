import { InvalidArgumentError } from 'commander';
import { EXIT } from '../failure.js';
import { printJson } from '../output/tables.js';
import { type Known } from '../audit/check-file.js';
import { answerOf, type Schemas } from '../service/client.js';
import { type ServiceCommand } from './service-command.js';
import { withService } from './with-service.js';

type AuditCheck = Schemas['AuditCheckDto'];

export function addAuditCheckCommand(program: ServiceCommand): void {
  program
    .command('audit-check')
    .description('prove that no audit record was changed or removed; the exit code is 1 where one was')
    .argument('[export]', 'a file of GET /api/v1/audit/export; default: the audit log of the service')
    .option(
      '--known <id:hash>',
      'a record of an earlier check or export, which must still be there',
      parseKnown,
    )
    .json('the result')
    .action(
      async (
        file: string | undefined,
        options: { known?: Known; json?: boolean },
        command: ServiceCommand,
      ) => {
        const { known, json } = options;
        const result =
          file === undefined ? await checkService(command, known) : await checkExport(file, known);
        if (!result.is_intact) process.exitCode = EXIT.failed;
        if (json) printJson(result);
        else process.stdout.write(`${describe(result)}\n`);
      },
    )
    .examples('repotide audit-check', 'repotide audit-check audit.jsonl --known 4711:9f86…');
}

function checkService(command: ServiceCommand, known: Known | undefined): Promise<AuditCheck> {
  const query = known && { known_id: known.id, known_hash: known.hash };
  return withService(command, ({ client }) =>
    answerOf(client.GET('/api/v1/audit/check', { params: { query } })),
  );
}

async function checkExport(file: string, known: Known | undefined): Promise<AuditCheck> {
  // Only here: no other command computes hashes.
  const { checkFile } = await import('../audit/check-file.js');
  return checkFile(file, known);
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

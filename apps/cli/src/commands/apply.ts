import { type ApplyOptions } from '../apply/apply.js';
import { type ServiceCommand } from './service-command.js';
import { withService } from './with-service.js';

export function addApplyCommand(program: ServiceCommand): void {
  program
    .command('apply')
    .description('make the service equal files: credentials, repositories with schedules, discoveries')
    .requiredOption('-f, --file <path>', 'a YAML file, or a directory with such files')
    .option('--name <name>', 'name of the declaration; each one prunes only what it declared', 'default')
    .option('--prune', 'delete what was removed from this declaration')
    .option('--dry-run', 'only show the difference; the exit code is 5 when there is one')
    .json('the changes')
    .action(async (options: ApplyOptions, command: ServiceCommand) => {
      // Loaded only here, because of the parser and the schemas.
      const { apply: applyFiles } = await import('../apply/apply.js');
      await withService(command, (session) => applyFiles(session, options));
    })
    .examples('repotide apply -f repotide.yaml --dry-run', 'repotide apply -f declared/ --prune');
}

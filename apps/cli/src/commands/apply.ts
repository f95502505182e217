import { type Command } from 'commander';
import { type ApplyOptions } from '../apply/apply.js';
import { examples } from './options.js';
import { withService } from './with-service.js';

export function addApplyCommand(program: Command): void {
  const apply = program
    .command('apply')
    .description('make the service equal files: credentials, repositories with schedules, discoveries')
    .requiredOption('-f, --file <path>', 'a YAML file, or a directory with such files')
    .option('--name <name>', 'name of the declaration; each one prunes only what it declared', 'default')
    .option('--prune', 'delete what this declaration declared before and no longer does')
    .option('--dry-run', 'only show the difference; the exit code is 5 when there is one')
    .option('--json', 'print the changes as JSON')
    .action(async (options: ApplyOptions, command: Command) => {
      // Loaded only here, because of the parser and the schemas.
      const { apply: applyFiles } = await import('../apply/apply.js');
      await withService(command, (session) => applyFiles(session, options));
    });
  examples(apply, 'repotide apply -f repotide.yaml --dry-run', 'repotide apply -f declared/ --prune');
}

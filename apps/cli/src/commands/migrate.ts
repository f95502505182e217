import { type Command } from 'commander';
import { openContext, setUpProcess } from '../../../server/src/index.js';

export function addMigrateCommand(program: Command): void {
  program
    .command('migrate')
    .description('bring the database schema up to this version; safe to repeat and to run twice at once')
    .action(async () => {
      const { config, logger } = setUpProcess(process.env, process.stderr);
      // Opening the application migrates; a command of its own lets a deployment do it once, before the pods roll.
      const context = await openContext(config, logger);
      await context.close();
      process.stdout.write('The schema is current.\n');
    });
}

import { type Command } from 'commander';
import { withApplication } from '../with-application.js';

export function addMigrateCommand(program: Command): void {
  program
    .command('migrate')
    .description('bring the database schema up to this version; safe to repeat and to run twice at once')
    .action(async () => {
      // Opening the application migrates; a command of its own lets a deployment do it once, before the pods roll.
      await withApplication(() => Promise.resolve());
      process.stdout.write('The schema is current.\n');
    });
}

import { type Command } from 'commander';
import { migrateDatabase, setUpProcess } from '../../../server/src/index.js';

export function addMigrateCommand(program: Command): void {
  program
    .command('migrate')
    .description('bring the database schema up to this version; safe to repeat and to run twice at once')
    .action(async () => {
      const { config, logger } = setUpProcess(process.env, process.stderr);
      await migrateDatabase(config, logger);
      process.stdout.write('The schema is current.\n');
    });
}

#!/usr/bin/env node
import { Command } from 'commander';
import { describeFailure } from '../../server/src/index.js';
import { addDemoCommand } from './commands/demo.js';
import { addMigrateCommand } from './commands/migrate.js';
import { addSearchCommand } from './commands/search.js';
import { addServeCommand } from './commands/serve.js';
import { addStatusCommand } from './commands/status.js';
import { addSyncCommand } from './commands/sync.js';

const program = new Command('repotide')
  .description('Keeps a vector database true to your GitLab repositories.')
  .showHelpAfterError()
  .addHelpText(
    'after',
    '\nSettings come from the environment; docs/configuration.md lists them all.\n' +
      'The exit code is 0 only when the work succeeded.',
  );

addDemoCommand(program);
addServeCommand(program);
addSyncCommand(program);
addSearchCommand(program);
addStatusCommand(program);
addMigrateCommand(program);

try {
  await program.parseAsync();
} catch (error) {
  process.stderr.write(`repotide: ${describeFailure(error)}\n`);
  process.exitCode = 1;
}

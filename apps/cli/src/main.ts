#!/usr/bin/env node
import { readFileSync } from 'node:fs';
import { Command } from 'commander';
import { describeFailure, exitCodeOf } from '../../server/src/index.js';
import { addDemoCommand, addMigrateCommand, addServeCommand } from './commands/service.js';
import { addDiscoverCommand } from './commands/discover.js';
import { addMcpCommand } from './commands/mcp.js';
import { addSearchCommand } from './commands/search.js';
import { addStatusCommand } from './commands/status.js';
import { addSyncCommand } from './commands/sync.js';
import { addVerifyCommand } from './commands/verify.js';

/** Relative to the built file, because the source file is never run. */
const PACKAGE = new URL('../../../../package.json', import.meta.url);
const { version } = JSON.parse(readFileSync(PACKAGE, 'utf8')) as { version: string };

const program = new Command('repotide')
  .description('Keeps a vector database true to your GitLab repositories.')
  .version(version, '-v, --version', 'print the version')
  .showHelpAfterError('Add --help for the list of commands and options.')
  .addHelpText(
    'after',
    '\nSettings come from the environment; docs/configuration.md lists them all.\n' +
      'The exit code is 0 only when the work succeeded, and 78 when a setting is invalid.',
  );

addDemoCommand(program);
addServeCommand(program);
addSyncCommand(program);
addSearchCommand(program);
addMcpCommand(program);
addVerifyCommand(program);
addDiscoverCommand(program);
addStatusCommand(program);
addMigrateCommand(program);

// A reader such as `head` may close the pipe early. The command still completes its work.
for (const output of [process.stdout, process.stderr]) {
  output.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
  });
}

try {
  await program.parseAsync();
} catch (error) {
  // Exits explicitly, because a failed start may leave a pool or a connection open.
  process.stderr.write(`repotide: ${describeFailure(error)}\n`, () => process.exit(exitCodeOf(error)));
}

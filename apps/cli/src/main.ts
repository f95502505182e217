#!/usr/bin/env node
import { readFileSync } from 'node:fs';
import { CommanderError } from 'commander';
import { addAuditCheckCommand } from './commands/audit-check.js';
import { addApplyCommand } from './commands/apply.js';
import { addCompletionCommand } from './commands/completion.js';
import { addDiscoverCommand } from './commands/discover.js';
import { addFilesCommand } from './commands/files.js';
import { addMcpCommand } from './commands/mcp.js';
import { addServiceOptions } from './commands/options.js';
import { addProfileCommand } from './commands/profile.js';
import { addRepoCommand } from './commands/repo.js';
import { addCancelCommand, addLogsCommand, addRunsCommand } from './commands/runs.js';
import { addScheduleCommand } from './commands/schedule.js';
import { addEvaluateCommand } from './commands/evaluate.js';
import { ServiceCommand } from './commands/service-command.js';
import { addSearchCommand } from './commands/search.js';
import { addDemoCommand, addMigrateCommand, addServeCommand } from './commands/service.js';
import { addStatusCommand } from './commands/status.js';
import { addSyncCommand } from './commands/sync.js';
import { addWebhookCommand } from './commands/webhook.js';
import { addVerifyCommand } from './commands/verify.js';
import { CommandFailure, EXIT } from './failure.js';

// A command that embeds the service loads it when it runs: help, completion and the commands of a client start fast.

/** Relative to the built file, because the source file is never run. */
const PACKAGE = new URL('../../../../package.json', import.meta.url);
const { version } = JSON.parse(readFileSync(PACKAGE, 'utf8')) as { version: string };

const program = new ServiceCommand('repotide')
  .description('Keeps a vector database true to your GitLab repositories.')
  .version(version, '-v, --version', 'print the version')
  .showHelpAfterError('Add --help for the list of commands and options.')
  .configureHelp({ showGlobalOptions: true })
  .exitOverride()
  .addHelpText(
    'after',
    '\nWith REPOTIDE_URL and REPOTIDE_TOKEN, or a profile, commands talk to that service; otherwise they embed one, whose\n' +
      'settings come from the environment (docs/configuration.md). Exit codes: 0 done, 1 failed, 2 wrong usage, 3 no answer\n' +
      'from the service, 4 refused by it, 5 differs from the declaration, 78 invalid setting, 130 interrupted (docs/cli.md).',
  );

addServiceOptions(program);
program.commandsGroup('Index:');
addSyncCommand(program);
addSearchCommand(program);
addEvaluateCommand(program);
addVerifyCommand(program);
addStatusCommand(program);
addFilesCommand(program);
program.commandsGroup('Runs:');
addRunsCommand(program);
addLogsCommand(program);
addCancelCommand(program);
program.commandsGroup('Set up:');
addApplyCommand(program);
addRepoCommand(program);
addScheduleCommand(program);
addDiscoverCommand(program);
addWebhookCommand(program);
addProfileCommand(program);
program.commandsGroup('Service:');
addServeCommand(program);
addMigrateCommand(program);
addAuditCheckCommand(program);
addMcpCommand(program);
addDemoCommand(program);
program.commandsGroup('Shell:');
await addCompletionCommand(program, process.argv.slice(2));

// A reader such as `head` may close the pipe early. The command still completes its work.
for (const output of [process.stdout, process.stderr]) {
  output.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
  });
}

try {
  await program.parseAsync();
} catch (error) {
  await fail(error);
}

/** Exits explicitly, because a failed start may leave a pool or a connection open. */
async function fail(error: unknown): Promise<void> {
  // Commander has printed its message.
  if (error instanceof CommanderError) return exit('', error.exitCode === 0 ? 0 : EXIT.usage);
  if (error instanceof CommandFailure)
    return exit(`repotide: ${error.message} [${error.code}]\n`, error.exitCode);
  const { describeFailure, exitCodeOf } = await import('../../server/src/index.js');
  exit(`repotide: ${describeFailure(error)}\n`, exitCodeOf(error));
}

function exit(message: string, code: number): void {
  process.stderr.write(message, () => process.exit(code));
}

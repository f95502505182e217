import { type Command } from 'commander';
import { serve } from '../../../server/src/index.js';

export function addServeCommand(program: Command): void {
  program
    .command('serve')
    .description('run the service: API, scheduler and worker, as REPOTIDE_ROLES says')
    .action(() => serve(process.env));
}

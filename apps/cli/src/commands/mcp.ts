import { EXIT, CommandFailure } from '../failure.js';
import { type ServiceOptions, targetOf } from '../service/target.js';
import { type ServiceCommand } from './service-command.js';

export function addMcpCommand(program: ServiceCommand): void {
  program
    .command('mcp')
    .description(
      'offer the search of a running service to an agent or editor, over standard input and output',
    )
    .action(async (_options: object, command: ServiceCommand) => {
      const target = await targetOf(command.optsWithGlobals<ServiceOptions>());
      if (target === null) throw addressMissing();
      const { connectToService } = await import('../service/mcp-relay.js');
      await connectToService(new URL(target.url), target.token);
    })
    .examples('REPOTIDE_URL=https://repotide.example.com REPOTIDE_TOKEN=... repotide mcp');
}

function addressMissing(): CommandFailure {
  const message = 'REPOTIDE_URL must be the address of the service, such as https://repotide.example.com.';
  return new CommandFailure(EXIT.failed, 'setting_missing', message);
}

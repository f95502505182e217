import { type Command } from 'commander';
import { RepotideError } from '@core/domain';
import { connectToService } from '../remote/mcp-relay.js';

interface McpOptions {
  url?: string;
}

export function addMcpCommand(program: Command): void {
  program
    .command('mcp')
    .description(
      'offer the search of a running service to an agent or editor, over standard input and output',
    )
    .option('--url <url>', 'address of the service; default: REPOTIDE_URL')
    .addHelpText('after', '\nThe token comes from REPOTIDE_TOKEN; the role viewer suffices.')
    .action(async ({ url = process.env['REPOTIDE_URL'] }: McpOptions) => {
      const token = process.env['REPOTIDE_TOKEN'];
      if (!url)
        throw missing('REPOTIDE_URL', 'the address of the service, such as https://repotide.example.com');
      if (!URL.canParse(url)) throw missing('REPOTIDE_URL', `an http or https address; found "${url}"`);
      if (!token) throw missing('REPOTIDE_TOKEN', 'a token of the service with the role viewer');
      await connectToService(new URL(url), token);
    });
}

function missing(name: string, what: string): RepotideError {
  return new RepotideError('invalid', 'setting_missing', `${name} must be ${what}.`);
}

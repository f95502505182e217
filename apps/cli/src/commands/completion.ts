import { Argument } from 'commander';
import { type ServiceCommand } from './service-command.js';

const SHELLS = ['bash', 'zsh', 'fish'] as const;
/** What the scripts of the shells call for suggestions. */
const SUGGEST = 'complete';
const NAME = 'completion';

/** Adds the command that prints a completion script. Call it last: the script completes what was added before. */
export async function addCompletionCommand(program: ServiceCommand, args: readonly string[]): Promise<void> {
  const isScriptWanted = args[0] === NAME && SHELLS.some((shell) => shell === args[1]);
  if (isScriptWanted || args[0] === SUGGEST) {
    // Loaded only here: no other command needs it.
    const { default: complete } = await import('@bomb.sh/tab/commander');
    complete(program, { completionCommandName: NAME });
    return;
  }
  program
    .command(NAME)
    .description('print a script that completes commands and options in a shell')
    .addArgument(new Argument('<shell>').choices(SHELLS))
    .examples(
      'source <(repotide completion bash)        # in ~/.bashrc',
      'source <(repotide completion zsh)         # in ~/.zshrc, after "autoload -Uz compinit && compinit"',
      'repotide completion fish > ~/.config/fish/completions/repotide.fish',
    );
}

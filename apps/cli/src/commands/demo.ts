import { type Command } from 'commander';
import { runDemo } from '../demo/run-demo.js';

export function addDemoCommand(program: Command): void {
  program
    .command('demo')
    .description('show the main job on a real git repository, with everything embedded')
    .argument('[path]', 'any local git repository; it is only read', process.cwd())
    .option('--log-level <level>', 'show the log lines behind it: debug, info, warn', 'warn')
    .action((path: string, options: { logLevel: string }) => runDemo({ path, logLevel: options.logLevel }));
}

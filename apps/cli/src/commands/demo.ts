import { type Command } from 'commander';

interface DemoOptions {
  logLevel: string;
  serve?: boolean;
}

export function addDemoCommand(program: Command): void {
  program
    .command('demo')
    .description('show the main job on a real git repository, with everything embedded')
    .argument('[path]', 'any local git repository; it is only read', process.cwd())
    .option('--serve', 'run the service on that repository instead, to try docs/api.md on, until Ctrl-C')
    .option('--log-level <level>', 'show the log lines behind it: debug, info, warn', 'warn')
    .action(async (path: string, { logLevel, serve }: DemoOptions) => {
      // A dynamic import, because the production image does not contain the demo and the GitLab stand-in.
      const [{ runDemo }, { serveDemo }] = await Promise.all([
        import('../demo/run-demo.js'),
        import('../demo/serve-demo.js'),
      ]);
      await (serve ? serveDemo : runDemo)({ path, logLevel });
    });
}

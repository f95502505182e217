import { type ServiceCommand } from './service-command.js';

export function addDemoCommand(program: ServiceCommand): void {
  program
    .command('demo')
    .description('show the main job on a real git repository, with everything embedded')
    .argument('[path]', 'any local git repository; it is only read', process.cwd())
    .option('--serve', 'run the service on that repository instead, to try docs/api.md on, until Ctrl-C')
    .option('--log-level <level>', 'show the log lines behind it: debug, info, warn', 'warn')
    .action(async (path: string, { logLevel, serve: isServed }: { logLevel: string; serve?: boolean }) => {
      // A dynamic import, because the production image does not contain the demo and the GitLab stand-in.
      const [{ runDemo }, { serveDemo }] = await Promise.all([
        import('../demo/run-demo.js'),
        import('../demo/serve-demo.js'),
      ]);
      await (isServed ? serveDemo : runDemo)({ path, logLevel });
    })
    .examples('repotide demo', 'repotide demo /path/to/any/git/repository', 'repotide demo --serve');
}

export function addServeCommand(program: ServiceCommand): void {
  program
    .command('serve')
    .description('run the service: API, scheduler and worker, as REPOTIDE_ROLES says')
    .action(async () => {
      const { serve } = await import('../../../server/src/index.js');
      await serve(process.env);
    })
    .examples('GITLAB_URL=https://gitlab.example.com GITLAB_TOKEN=... repotide serve');
}

export function addMigrateCommand(program: ServiceCommand): void {
  program
    .command('migrate')
    .description('bring the database schema up to this version; safe to repeat and to run twice at once')
    .action(async () => {
      const { migrateDatabase, setUpProcess } = await import('../../../server/src/index.js');
      const { config, logger } = setUpProcess(process.env, process.stderr);
      await migrateDatabase(config, logger);
      process.stdout.write('The schema is current.\n');
    })
    .examples('DATABASE_URL=postgres://... repotide migrate');
}

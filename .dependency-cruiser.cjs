/** @type {import('dependency-cruiser').IConfiguration} */
module.exports = {
  forbidden: [
    {
      name: 'no-circular',
      severity: 'error',
      comment: 'Two files that need each other are one file, or are missing a third.',
      from: {},
      to: { circular: true },
    },

    // --- core: the policy. Knows no vendor, no adapter, no environment.
    {
      name: 'core-is-policy',
      severity: 'error',
      comment: 'Core may not reach out to apps, adapters or platform: add a port to core/domain.',
      from: { path: '^libs/core/' },
      to: { path: '^(apps|libs/(adapters|platform))/' },
    },
    {
      name: 'core-libs-are-strangers',
      severity: 'error',
      comment: 'A core lib imports core/domain only; the app wires core libs together.',
      from: { path: '^libs/core/([^/]+)/', pathNot: '^libs/core/indexing/' },
      to: { path: '^libs/core/', pathNot: '^libs/core/($1|domain)/' },
    },
    {
      name: 'indexing-may-chunk-and-weigh',
      severity: 'error',
      comment:
        'The one exception: indexing calls chunking and search (the terms of a chunk) directly. Both are pure, so they need no port.',
      from: { path: '^libs/core/indexing/' },
      to: { path: '^libs/core/', pathNot: '^libs/core/(indexing|domain|chunking|search)/' },
    },
    {
      name: 'domain-imports-nothing',
      severity: 'error',
      comment: 'core/domain is the bottom of the graph.',
      from: { path: '^libs/core/domain/', pathNot: '\\.spec\\.ts$' },
      to: { pathNot: '^libs/core/domain/' },
    },
    {
      name: 'core-npm-allowlist',
      severity: 'error',
      comment: 'A vendor client in core means a missing adapter. Pure ones (cron, ids, rules) may stay.',
      from: { path: '^libs/core/', pathNot: '\\.spec\\.ts$' },
      to: {
        dependencyTypes: ['npm', 'npm-dev', 'npm-optional', 'npm-peer'],
        pathNot:
          '^node_modules/(cron-parser|@secretlint/secretlint-rule-preset-recommend|p-map|re2js|stemmer|uuid)/',
      },
    },

    // --- adapters: one outside system each.
    {
      name: 'adapter-sees-domain-only',
      severity: 'error',
      comment:
        'An adapter implements ports from core/domain; it calls no use case and reads no config. Platform/tls reads certificates, which every adapter with a connection needs.',
      from: { path: '^libs/adapters/' },
      to: { path: '^(apps|libs/platform/(?!tls/)|libs/core/(?!domain/))' },
    },
    {
      name: 'adapters-are-strangers',
      severity: 'error',
      comment: 'Replacing one outside system must touch one folder.',
      from: { path: '^libs/adapters/([^/]+)/' },
      to: { path: '^libs/adapters/', pathNot: '^libs/adapters/$1/' },
    },
    {
      name: 'pg-has-one-home',
      severity: 'error',
      from: { path: '^(apps|libs)/', pathNot: '^libs/adapters/postgres/' },
      to: { path: '^node_modules/(pg|@types/pg)/' },
    },
    {
      name: 'redis-has-one-home',
      severity: 'error',
      from: { path: '^(apps|libs)/', pathNot: '^libs/adapters/redis/' },
      to: { path: '^node_modules/(ioredis|bullmq)/' },
    },

    // --- platform: leaves.
    {
      name: 'platform-is-a-leaf',
      severity: 'error',
      from: { path: '^libs/platform/([^/]+)/' },
      to: { path: '^(apps|libs)/', pathNot: '^libs/platform/$1/' },
    },

    {
      name: 'devkit-is-for-demo-and-tests',
      severity: 'error',
      comment: 'A stand-in in the product is a stub called done.',
      from: { path: '^(apps|libs)/', pathNot: '^(libs/devkit/|apps/cli/src/demo/)|\\.spec\\.ts$' },
      to: { path: '^libs/devkit/' },
    },

    {
      name: 'a-client-is-copied',
      severity: 'error',
      comment: 'Whoever copies the folder has nothing else of ours.',
      from: { path: '^clients/typescript/' },
      to: { path: '^(?!clients/typescript/|node_modules/openapi-fetch/)' },
    },

    {
      name: 'apps-import-client-types-only',
      severity: 'error',
      comment:
        'They use the generated types of the API; only the command line sends requests with the client.',
      from: { path: '^apps/', pathNot: '^apps/cli/src/service/client\\.ts$' },
      to: { path: '^clients/', dependencyTypesNot: ['type-only'] },
    },

    // --- doors.
    { name: 'libs-never-import-apps', severity: 'error', from: { path: '^libs/' }, to: { path: '^apps/' } },
    {
      name: 'enter-by-the-index',
      severity: 'error',
      comment: 'Another lib is entered through its src/index.ts.',
      from: { path: '^(?:apps|test|libs/([^/]+/[^/]+))/' },
      to: { path: '^libs/[^/]+/[^/]+/src/(?!index\\.ts$)', pathNot: '^libs/$1/' },
    },
    {
      name: 'no-import-of-specs',
      severity: 'error',
      from: {},
      to: { path: '\\.(spec|int-spec|e2e-spec)\\.ts$' },
    },
    {
      name: 'no-test-code-in-production',
      severity: 'error',
      from: { path: '^(apps|libs)/', pathNot: '\\.spec\\.ts$' },
      to: { path: '^test/' },
    },
    {
      name: 'no-dev-dependency-in-production',
      severity: 'error',
      from: { path: '^(apps|libs)/', pathNot: '\\.spec\\.ts$|^apps/(dashboard/build|cli/bundle)\\.mjs$' },
      to: { dependencyTypes: ['npm-dev'], dependencyTypesNot: ['type-only'] },
    },
  ],
  options: {
    tsConfig: { fileName: 'tsconfig.json' },
    tsPreCompilationDeps: true, // so that `import type` counts too
    doNotFollow: { path: 'node_modules' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'require', 'node', 'default', 'types'],
    },
  },
};

import { type SkipReason } from '@core/domain';

/** Raise it when one of the lists changes. */
export const DEFAULT_RULES_VERSION = 1;

/**
 * What most repositories hold without having written it, as gitignore patterns. A list errs on the side of indexing:
 * `build/`, `target/`, `out/` and `lib/` are left out, as where they are tracked they mostly hold sources.
 * A repository takes a rule back by negation in its `.repotideignore`: `!vendor/**`.
 */
export const DEFAULT_RULES: readonly { reason: SkipReason; patterns: readonly string[] }[] = [
  {
    reason: 'vendored',
    patterns: [
      'node_modules/',
      'bower_components/',
      'jspm_packages/',
      'vendor/',
      'third_party/',
      'third-party/',
      'Godeps/_workspace/',
      'Pods/',
      'Carthage/Checkouts/',
      'site-packages/',
      '.venv/',
      'venv/',
      '.yarn/cache/',
      '.yarn/releases/',
      '.bundle/',
      'elm-stuff/',
    ],
  },
  {
    reason: 'generated',
    patterns: [
      // Build outputs.
      ...['dist/', '.next/', '.nuxt/', '.output/', '.svelte-kit/', '.turbo/', '.parcel-cache/'],
      ...['storybook-static/', '__pycache__/', '*.egg-info/', 'htmlcov/', '.nyc_output/', '.tox/'],
      ...['.gradle/', '.terraform/', '.dart_tool/', 'cmake-build-*/', 'DerivedData/'],
      // Lock files.
      ...['package-lock.json', 'npm-shrinkwrap.json', 'yarn.lock', 'pnpm-lock.yaml', 'bun.lock', 'deno.lock'],
      ...[
        'composer.lock',
        'Gemfile.lock',
        'Cargo.lock',
        'poetry.lock',
        'Pipfile.lock',
        'uv.lock',
        'pdm.lock',
      ],
      ...['go.sum', 'go.work.sum', 'mix.lock', 'pubspec.lock', 'Podfile.lock', 'packages.lock.json'],
      ...[
        'gradle.lockfile',
        'flake.lock',
        'Package.resolved',
        '.terraform.lock.hcl',
        '.pnp.cjs',
        '.pnp.loader.mjs',
      ],
      // Minified code, bundles and their maps.
      ...['*.min.js', '*.min.mjs', '*.min.css', '*-min.js', '*.bundle.js'],
      ...['*.js.map', '*.mjs.map', '*.cjs.map', '*.css.map', '*.d.ts.map'],
      // Code that a tool writes beside its input.
      ...[
        '__generated__/',
        '*.pb.go',
        '*.pb.gw.go',
        '*_pb2.py',
        '*_pb2.pyi',
        '*_pb2_grpc.py',
        '*.pb.cc',
        '*.pb.h',
      ],
      ...[
        '*_pb.js',
        '*_pb.d.ts',
        '*_grpc_pb.js',
        '*.g.dart',
        '*.freezed.dart',
        '*.Designer.cs',
        '*.designer.cs',
      ],
      ...['*.g.cs', '*.g.i.cs', 'zz_generated.*.go'],
    ],
  },
];

/** Files that exist to hold a secret, whatever the scan would find in them. Their examples are indexed. */
export const SECRET_FILES: readonly { reason: SkipReason; patterns: readonly string[] }[] = [
  {
    reason: 'secret',
    patterns: [
      ...[
        '.env',
        '.env.*',
        '!.env.example',
        '!.env.sample',
        '!.env.template',
        '!.env.dist',
        '!.env.defaults',
      ],
      ...['*.pem', '*.key', '*.p12', '*.pfx', '*.jks', '*.keystore', '*.kdbx', '*.ppk', '*.p8'],
      ...[
        'id_rsa',
        'id_dsa',
        'id_ecdsa',
        'id_ed25519',
        '.netrc',
        '_netrc',
        '.pgpass',
        '.htpasswd',
        '.my.cnf',
      ],
      ...['.git-credentials', '.dockercfg', '.docker/config.json', '.aws/credentials', '.kube/config'],
      ...['*.tfstate', '*.tfstate.backup', '*.ovpn', '.vault-token', '.pypirc'],
    ],
  },
];

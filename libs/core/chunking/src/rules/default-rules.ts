import { type SkipReason } from '@core/domain';

/** Increase it when one of the lists changes. */
export const DEFAULT_RULES_VERSION = 2;

export interface DefaultRule {
  reason: SkipReason;
  /** Gitignore patterns. */
  patterns: readonly string[];
}

function rule(reason: SkipReason, ...lines: string[]): DefaultRule {
  return { reason, patterns: lines.flatMap((line) => line.split(' ')) };
}

/**
 * Files that most repositories do not want indexed. In doubt a file is indexed: `build/`, `target/`, `out/` and `lib/`
 * are not listed, because where they are tracked they mostly contain sources. A repository overrides a rule by negation
 * in its `.repotideignore`: `!vendor/**`.
 */
export const DEFAULT_RULES: readonly DefaultRule[] = [
  rule(
    'vendored',
    'node_modules/ bower_components/ jspm_packages/ vendor/ third_party/ third-party/ Godeps/_workspace/ Pods/',
    'Carthage/Checkouts/ site-packages/ .venv/ venv/ .yarn/cache/ .yarn/releases/ .bundle/ elm-stuff/',
  ),
  rule(
    'generated',
    // Build outputs.
    'dist/ .next/ .nuxt/ .output/ .svelte-kit/ .turbo/ .parcel-cache/ storybook-static/ __pycache__/ *.egg-info/',
    'htmlcov/ .nyc_output/ .tox/ .gradle/ .terraform/ .dart_tool/ cmake-build-*/ DerivedData/',
    // Lock files.
    'package-lock.json npm-shrinkwrap.json yarn.lock pnpm-lock.yaml bun.lock deno.lock composer.lock Gemfile.lock',
    'Cargo.lock poetry.lock Pipfile.lock uv.lock pdm.lock go.sum go.work.sum mix.lock pubspec.lock Podfile.lock',
    'packages.lock.json gradle.lockfile flake.lock Package.resolved .terraform.lock.hcl .pnp.cjs .pnp.loader.mjs',
    // Minified code, bundles and their maps.
    '*.min.js *.min.mjs *.min.css *-min.js *.bundle.js *.js.map *.mjs.map *.cjs.map *.css.map *.d.ts.map',
    // Code that a tool writes beside its input.
    '__generated__/ *.pb.go *.pb.gw.go *_pb2.py *_pb2.pyi *_pb2_grpc.py *.pb.cc *.pb.h *_pb.js *_pb.d.ts *_grpc_pb.js',
    '*.g.dart *.freezed.dart *.Designer.cs *.designer.cs *.g.cs *.g.i.cs zz_generated.*.go',
  ),
];

/** Files whose purpose is a secret; excluded without a scan. Their examples are indexed. In lower case: the case does not matter. */
export const SECRET_FILES: readonly DefaultRule[] = [
  rule(
    'secret',
    '*.env .env .env.* .envrc !example.env !sample.env !template.env !*.example.env !.env.example !.env.sample !.env.template !.env.dist !.env.defaults',
    '*.pem *.key *.p12 *.pfx *.jks *.keystore *.kdbx *.ppk *.p8 id_rsa id_dsa id_ecdsa id_ed25519',
    '.netrc _netrc .pgpass .htpasswd .my.cnf .git-credentials .dockercfg .docker/config.json .aws/credentials',
    '.kube/config *.tfstate *.tfstate.backup *.tfvars *.tfvars.json !example.tfvars !*.example.tfvars *.ovpn .vault-token .pypirc',
    'secrets.yml secrets.yaml secrets.json secrets.toml *.secrets.yml *.secrets.yaml',
  ),
];

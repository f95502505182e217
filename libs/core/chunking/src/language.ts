/** Extensions by language; search filters use these names. An ambiguous extension has its most common language. */
const EXTENSIONS: Readonly<Record<string, string>> = {
  ada: 'adb ads',
  apex: 'cls trigger',
  asciidoc: 'adoc asciidoc',
  assembly: 'asm s',
  astro: 'astro',
  awk: 'awk',
  batch: 'bat cmd',
  bibtex: 'bib',
  bicep: 'bicep',
  c: 'c h',
  clojure: 'clj cljc cljs edn',
  cmake: 'cmake',
  cobol: 'cbl cob cpy',
  coffeescript: 'coffee',
  cpp: 'cc cpp cppm cxx hh hpp hxx inl ino ipp ixx tpp',
  crystal: 'cr',
  csharp: 'cs csx',
  css: 'css',
  csv: 'csv tsv',
  cuda: 'cu cuh',
  cue: 'cue',
  cython: 'pxd pyx',
  d: 'd',
  dart: 'dart',
  diff: 'diff patch',
  dockerfile: 'containerfile dockerfile',
  dotenv: 'env',
  ejs: 'ejs',
  elixir: 'ex exs heex',
  elm: 'elm',
  erb: 'erb',
  erlang: 'erl hrl',
  fish: 'fish',
  fortran: 'f f03 f08 f90 f95 for',
  fsharp: 'fs fsi fsx',
  gdscript: 'gd',
  gherkin: 'feature',
  glsl: 'frag glsl vert',
  go: 'go',
  gotemplate: 'gotmpl tmpl tpl',
  graphql: 'gql graphql graphqls',
  groovy: 'gradle groovy gvy',
  haml: 'haml',
  handlebars: 'handlebars hbs mustache',
  haskell: 'hs lhs',
  haxe: 'hx',
  hcl: 'hcl nomad',
  hlsl: 'hlsl',
  html: 'htm html xhtml',
  http: 'http rest',
  ini: 'cfg conf editorconfig ini properties',
  java: 'java',
  javascript: 'cjs es6 js jsx mjs',
  jinja: 'j2 jinja jinja2',
  json: 'avsc geojson har json json5 jsonc jsonl map ndjson webmanifest',
  jsonnet: 'jsonnet libsonnet',
  julia: 'jl',
  jupyter: 'ipynb',
  just: 'just',
  kotlin: 'kt kts',
  latex: 'latex ltx sty tex',
  less: 'less',
  liquid: 'liquid',
  lisp: 'el lisp lsp',
  lua: 'lua',
  makefile: 'mak make mk',
  markdown: 'markdown md mdown mdx mkd',
  matlab: 'matlab mlx',
  mermaid: 'mermaid mmd',
  nim: 'nim nims',
  nix: 'nix',
  'objective-c': 'm mm',
  ocaml: 'ml mli',
  odin: 'odin',
  pascal: 'dpr lpr pas',
  perl: 'pl pm pod',
  php: 'php php5 phtml',
  plantuml: 'iuml plantuml puml',
  powershell: 'ps1 psd1 psm1',
  prisma: 'prisma',
  prolog: 'prolog',
  protobuf: 'proto',
  pug: 'jade pug',
  puppet: 'pp',
  python: 'py pyi pyw',
  r: 'r rmd',
  racket: 'rkt',
  razor: 'cshtml razor',
  rego: 'rego',
  restructuredtext: 'rst',
  ruby: 'gemspec rake rb ru',
  rust: 'rs',
  sass: 'sass',
  scala: 'sbt sc scala',
  scheme: 'scm ss',
  scss: 'scss',
  shell: 'bash ksh sh zsh',
  smithy: 'smithy',
  solidity: 'sol',
  sql: 'ddl dml pgsql plsql psql sql',
  starlark: 'bazel bzl star',
  stylus: 'styl',
  svelte: 'svelte',
  svg: 'svg',
  swift: 'swift',
  tcl: 'tcl',
  terraform: 'tf tfvars',
  text: 'log text txt',
  thrift: 'thrift',
  toml: 'toml',
  twig: 'twig',
  typescript: 'cts mts ts tsx',
  typespec: 'tsp',
  vala: 'vala vapi',
  verilog: 'sv svh v vh',
  vhdl: 'vhd vhdl',
  vim: 'vim',
  visualbasic: 'bas vb vbs',
  vue: 'vue',
  webassembly: 'wat wast',
  wgsl: 'wgsl',
  xml: 'csproj fsproj plist pom props resx targets vbproj wsdl xaml xml xsd xsl xslt',
  yaml: 'yaml yml',
  zig: 'zig zon',
};

/** Languages by whole file name, in lower case. */
const FILE_NAMES: Readonly<Record<string, string>> = {
  cmake: 'cmakelists.txt',
  dockerfile: 'containerfile dockerfile',
  dotenv: '.env',
  gomod: 'go.mod go.sum go.work',
  groovy: 'jenkinsfile',
  ignore: '.dockerignore .eslintignore .gitignore .helmignore .npmignore .prettierignore',
  ini: '.editorconfig .gitattributes .gitconfig .gitmodules .npmrc .pylintrc',
  json: '.babelrc .eslintrc .jshintrc .prettierrc .swcrc composer.lock flake.lock pipfile.lock',
  just: '.justfile justfile',
  makefile: 'gnumakefile makefile',
  ruby: 'appraisals brewfile dangerfile fastfile gemfile guardfile podfile rakefile vagrantfile',
  shell: '.bash_profile .bashrc .envrc .profile .zprofile .zshenv .zshrc apkbuild pkgbuild',
  starlark: 'build build.bazel tiltfile workspace',
  text: 'authors changelog codeowners contributing contributors copying license notice readme',
  toml: 'cargo.lock pipfile poetry.lock uv.lock',
  vim: '.vimrc',
  yaml: '.clang-format .clang-tidy .yamllint',
};

/** File names that may have a variant as extension: `Dockerfile.prod`, `.env.local`. */
const NAMES_WITH_VARIANTS = ['dockerfile', 'containerfile', 'makefile', 'jenkinsfile', '.env'];

function invert(table: Readonly<Record<string, string>>): ReadonlyMap<string, string> {
  return new Map(
    Object.entries(table).flatMap(([language, keys]) =>
      keys.split(' ').map((key) => [key, language] as const),
    ),
  );
}

const LANGUAGE_BY_EXTENSION = invert(EXTENSIONS);
const LANGUAGE_BY_FILE_NAME = invert(FILE_NAMES);
/** All names that {@link languageOf} returns. */
export const LANGUAGES: ReadonlySet<string> = new Set([
  ...Object.keys(EXTENSIONS),
  ...Object.keys(FILE_NAMES),
]);

/** The language of a file by its name, in lower case (`typescript`, `dockerfile`); null when it is unknown. */
export function languageOf(path: string): string | null {
  const fileName = path.slice(path.lastIndexOf('/') + 1).toLowerCase();
  const byName = LANGUAGE_BY_FILE_NAME.get(fileName);
  if (byName !== undefined) return byName;
  const dot = fileName.lastIndexOf('.');
  const byExtension = dot > 0 ? LANGUAGE_BY_EXTENSION.get(fileName.slice(dot + 1)) : undefined;
  if (byExtension !== undefined) return byExtension;
  const base = NAMES_WITH_VARIANTS.find((name) => fileName.startsWith(`${name}.`));
  return base === undefined ? null : (LANGUAGE_BY_FILE_NAME.get(base) ?? null);
}

const PROSE = ['asciidoc', 'latex', 'markdown', 'restructuredtext', 'text'];

/** Whether people write it in sentences, so that a paragraph may be one long line. */
export function isProse(language: string | null): boolean {
  return language !== null && PROSE.includes(language);
}

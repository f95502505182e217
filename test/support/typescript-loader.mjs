// Extends Node's loader with TypeScript and the aliases of tsconfig.json, for processes that jest does not transform.
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { transform } from '@swc/core';

const root = fileURLToPath(new URL('../../', import.meta.url));
const swcOptions = {
  jsc: {
    parser: { syntax: 'typescript', decorators: true },
    transform: { legacyDecorator: true, decoratorMetadata: true },
    target: 'es2022',
  },
  module: { type: 'es6' },
  sourceMaps: 'inline',
};

export async function resolve(specifier, context, nextResolve) {
  const library = /^@(?:(core|adapters|platform)\/([^/]+)|devkit)$/.exec(specifier);
  if (library !== null) {
    const [, group, name] = library;
    return nextResolve(
      pathToFileURL(`${root}libs/${group ? `${group}/${name}` : 'devkit'}/src/index.ts`).href,
      context,
    );
  }
  // Relative, or absolute like the entry of a worker thread.
  if (/^(\.{1,2}\/|file:).*\.js$/.test(specifier) && (context.parentURL ?? 'file:').startsWith('file:')) {
    const source = new URL(specifier.replace(/\.js$/, '.ts'), context.parentURL);
    if (existsSync(source)) return nextResolve(source.href, context);
  }
  return nextResolve(specifier, context);
}

export async function load(url, context, nextLoad) {
  if (!url.startsWith('file:') || !url.endsWith('.ts')) return nextLoad(url, context);
  const filename = fileURLToPath(url);
  const { code } = await transform(await readFile(filename, 'utf8'), {
    ...swcOptions,
    filename,
    swcrc: false,
  });
  return { format: 'module', source: code, shortCircuit: true };
}

// Bundles the built command line into dist/bundle; a part of `npm run build`. Node reads a few files instead of two
// thousand, which takes two of three seconds off the start of every command.
import { existsSync } from 'node:fs';
import { readFile, rm } from 'node:fs/promises';
import { basename, dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const dist = fileURLToPath(new URL('../../dist', import.meta.url));
const bundle = `${dist}/bundle`;

await rm(bundle, { recursive: true, force: true });
await build({
  entryPoints: {
    main: `${dist}/apps/cli/src/main.js`,
    'content-worker': `${dist}/apps/server/src/composition/content-worker.js`,
  },
  outdir: bundle,
  bundle: true,
  // What is imported on demand stays so.
  splitting: true,
  platform: 'node',
  format: 'esm',
  target: 'node20.19',
  // TypeORM and the API document use the names of classes.
  keepNames: true,
  sourcemap: true,
  sourcesContent: false,
  // Node keeps the text of a module in memory, with two bytes for each character if one of them is beyond Latin-1: comments
  // of packages have such characters. Licences go to a file beside.
  minifyWhitespace: true,
  legalComments: 'linked',
  // A stack without source maps quotes the line.
  lineLimit: 200,
  // CommonJS packages need `require`.
  banner: {
    js: `import { createRequire as requireOf } from 'node:module'; const require = requireOf(import.meta.url);`,
  },
  // Found at run time by Nest, which must meet the same copy. Nest and TypeORM import it before any decorator is used.
  external: ['reflect-metadata'],
  plugins: [
    { name: 'unused-parts', setup: leaveUnusedParts },
    { name: 'optional-packages', setup: leaveOptionalPackages },
    { name: 'absent-demo', setup: leaveAbsentDemo },
    { name: 'own-url', setup: keepUrls },
    { name: 'short-maps', setup: shortenMaps },
  ],
  logLevel: 'warning',
});

/** A package that is not installed is the optional peer of another one, which handles that it cannot be loaded. */
function leaveOptionalPackages(build) {
  const isRepeated = Symbol('repeated');
  build.onResolve({ filter: /^[^./]/ }, async ({ path, pluginData, ...from }) => {
    if (pluginData === isRepeated) return undefined;
    const found = await build.resolve(path, { ...from, pluginData: isRepeated });
    return found.errors.length === 0 ? found : { path, external: true };
  });
}

/** TypeORM loads the drivers of all databases, and zod its messages in all languages. */
function leaveUnusedParts(build) {
  build.onLoad({ filter: /typeorm.driver.[^/]+.\w+Driver\.js$/ }, ({ path }) =>
    basename(path) === 'PostgresDriver.js' ? undefined : { contents: '' },
  );
  build.onLoad({ filter: /zod.v4.locales.index\.js$/ }, () => ({
    contents: `export { default as en } from './en.js';`,
  }));
}

/** The image is built without the demo, which is imported on demand. */
function leaveAbsentDemo(build) {
  build.onResolve({ filter: /^\.\.\/demo\// }, ({ path, resolveDir }) =>
    existsSync(join(resolveDir, path)) ? undefined : { path, external: true },
  );
}

/** A file that finds another one by `import.meta.url` finds it from the bundle too. */
function keepUrls(build) {
  build.onLoad({ filter: /\.js$/ }, async ({ path }) => {
    if (path.includes('node_modules')) return undefined;
    const text = await readFile(path, 'utf8');
    if (!text.includes('import.meta.url')) return undefined;
    // A worker thread starts in the bundle.
    if (text.includes("new URL('./content-worker.js', import.meta.url)")) return undefined;
    const url = `new URL(${JSON.stringify(relative(bundle, path))}, import.meta.url).href`;
    return { contents: text.replaceAll('import.meta.url', url), resolveDir: dirname(path) };
  });
}

/**
 * Node reads the source map of every file that it loads. For a package it names the file only, without lines: the complete
 * maps are five times as long, and cost a tenth of the time of a start and 10 MiB.
 */
function shortenMaps(build) {
  build.onLoad({ filter: /node_modules.*\.[cm]?js$/ }, async ({ path }) => {
    const map = { version: 3, sources: [basename(path)], mappings: 'AAAA' };
    const data = Buffer.from(JSON.stringify(map)).toString('base64');
    const text = await readFile(path, 'utf8');
    return {
      contents: `${text}\n//# sourceMappingURL=data:application/json;base64,${data}`,
      loader: 'default',
    };
  });
}

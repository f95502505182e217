// Bundles the process that the matrix kills, so that each of some hundred processes starts in a moment.
// node test/crashes/bundle.mjs <output folder> [<file> <a line of it to leave out>]
import { readFile, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const [, , outdir, weakened, line] = process.argv;
const pathOf = (file) => fileURLToPath(new URL(file, import.meta.url));

await writeFile(`${outdir}/package.json`, '{"type":"module"}');
await build({
  entryPoints: {
    pod: pathOf('pod-child.ts'),
    'renewal-thread': pathOf('../../libs/adapters/redis/src/lease/renewal-thread.ts'),
  },
  outdir,
  bundle: true,
  platform: 'node',
  format: 'esm',
  // What the pod loads on demand stays unread.
  splitting: true,
  target: 'node20.19',
  keepNames: true,
  tsconfig: pathOf('../../tsconfig.json'),
  banner: {
    js: `import { createRequire as requireOf } from 'node:module'; const require = requireOf(import.meta.url);`,
  },
  plugins: [
    { name: 'optional-packages', setup: leaveOptionalPackages },
    { name: 'left-out-line', setup: leaveOutLine },
  ],
  logLevel: 'error',
});

/** A package that is not installed is the optional peer of another one, which handles that it cannot be loaded. */
function leaveOptionalPackages(builder) {
  const isRepeated = Symbol('repeated');
  builder.onResolve({ filter: /^[^./]/ }, async ({ path, pluginData, ...from }) => {
    if (pluginData === isRepeated) return undefined;
    const found = await builder.resolve(path, { ...from, pluginData: isRepeated });
    return found.errors.length === 0 ? found : { path, external: true };
  });
}

/** The last occurrence, to show that a test fails without it. */
function leaveOutLine(builder) {
  if (weakened === undefined) return;
  const path = pathOf(`../../${weakened}`);
  builder.onLoad({ filter: /\.ts$/ }, async (file) => {
    if (file.path !== path) return undefined;
    const text = await readFile(path, 'utf8');
    const start = text.lastIndexOf(line);
    if (start < 0) throw new Error(`${weakened} has no line "${line}".`);
    return { contents: text.slice(0, start) + text.slice(start + line.length), loader: 'ts' };
  });
}

// Bundles the dashboard into dist/apps/dashboard, from where the service serves it; a part of `npm run build`.
import { copyFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const here = fileURLToPath(new URL('./', import.meta.url));
const assets = fileURLToPath(new URL('../../dist/apps/dashboard/', import.meta.url));

await build({
  entryPoints: {
    dashboard: `${here}src/main.tsx`,
    highlight: `${here}src/highlight/highlight.ts`,
    manage: `${here}src/manage/main.tsx`,
    style: `${here}src/style.css`,
  },
  outdir: assets,
  bundle: true,
  minify: true,
  format: 'esm',
  target: ['es2022'],
  legalComments: 'eof',
  logLevel: 'warning',
});
await copyFile(`${here}index.html`, `${assets}index.html`);
await copyFile(`${here}icon.svg`, `${assets}icon.svg`);

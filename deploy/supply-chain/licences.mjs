// Checks the licence of every installed package against a list, offline (`npm run check:licences`). An unknown one fails.
import { readFileSync } from 'node:fs';

const PERMISSIVE = [
  ...['0BSD', 'Apache-2.0', 'BlueOak-1.0.0', 'BSD-2-Clause', 'BSD-3-Clause', 'CC0-1.0', 'ISC', 'MIT'],
  ...['Python-2.0', 'Unlicense'],
];
/** Licences of tools that are not passed on: data of browsers and the checks of accessibility. */
const FOR_DEVELOPMENT = [...PERMISSIVE, 'CC-BY-4.0', 'MPL-2.0'];
/** Packages whose description names no licence; read in their licence files. */
const READ_BY_HAND = { 'busboy@1.6.0': 'MIT', 'streamsearch@1.1.0': 'MIT' };

const lockfile = process.argv[2] ?? new URL('../../package-lock.json', import.meta.url);
const { packages } = JSON.parse(readFileSync(lockfile, 'utf8'));

const refused = Object.entries(packages)
  .filter(([path, { link }]) => path !== '' && !link)
  .map(([path, { version, license, dev, devOptional }]) => {
    const name = `${path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length)}@${version}`;
    const found = license ?? READ_BY_HAND[name] ?? 'none';
    return { name, found, allowed: dev || devOptional ? FOR_DEVELOPMENT : PERMISSIVE };
  })
  .filter(({ found, allowed }) => !isAllowed(found, allowed));

for (const { name, found } of refused)
  console.error(
    `${name} has the licence "${found}". Read it, then replace the package or extend deploy/supply-chain/licences.mjs.`,
  );
process.exitCode = refused.length > 0 ? 1 : 0;

/** `MIT`, `(MIT OR CC0-1.0)` or `Apache-2.0 AND MIT`; anything else is unknown. */
function isAllowed(expression, allowed) {
  const text = expression.replace(/^\((.*)\)$/, '$1');
  if (text.includes(' OR ')) return text.split(' OR ').some((each) => allowed.includes(each));
  return text.split(' AND ').every((each) => allowed.includes(each));
}

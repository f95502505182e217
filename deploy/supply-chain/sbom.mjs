// Writes the bill of materials of the program, CycloneDX 1.5, to dist/sbom.cdx.json (`npm run sbom`).
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';

const root = new URL('../../', import.meta.url);
const { name } = JSON.parse(readFileSync(new URL('package.json', root), 'utf8'));
// `npm sbom --omit=dev` leaves out packages that are also peers, such as zod, so the lockfile decides what is needed.
const options = ['--package-lock-only', '--sbom-format=cyclonedx', '--sbom-type=application'];
const document = JSON.parse(
  execFileSync('npm', ['sbom', ...options], {
    cwd: root,
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
    stdio: ['ignore', 'pipe', 'inherit'],
  }),
);
const { packages } = JSON.parse(readFileSync(new URL('package-lock.json', root), 'utf8'));
const needed = new Set(
  Object.entries(packages)
    .filter(([path, { dev }]) => path !== '' && !dev)
    .map(([path, { version }]) => `${path.slice(path.lastIndexOf('node_modules/') + 13)}@${version}`),
);
const own = document.metadata.component['bom-ref'];
document.components = document.components
  .filter((component) => needed.has(component['bom-ref']))
  .map((component) => ({ ...component, properties: component.properties.filter(isFact) }));
document.dependencies = document.dependencies
  .filter(({ ref }) => ref === own || needed.has(ref))
  .map(({ ref, dependsOn }) => ({ ref, dependsOn: dependsOn.filter((each) => needed.has(each)) }));
// The same packages give the same file: no random number, no time, no name of a folder.
delete document.serialNumber;
delete document.metadata.timestamp;
document.metadata.component.name = name;

const target = new URL(process.argv[2] ?? 'dist/sbom.cdx.json', root);
mkdirSync(new URL('./', target), { recursive: true });
writeFileSync(target, `${JSON.stringify(document, null, 2)}\n`);

/** A package that tools need too is marked as theirs. */
function isFact(property) {
  return property.name !== 'cdx:npm:package:development';
}

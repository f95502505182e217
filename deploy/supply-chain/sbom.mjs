// Writes the bill of materials of the program, CycloneDX 1.5, to dist/sbom.cdx.json (`npm run sbom`).
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';

const root = new URL('../../', import.meta.url);
const { name } = JSON.parse(readFileSync(new URL('package.json', root), 'utf8'));
const options = ['--package-lock-only', '--omit=dev', '--sbom-format=cyclonedx', '--sbom-type=application'];
const document = JSON.parse(
  execFileSync('npm', ['sbom', ...options], {
    cwd: root,
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
    stdio: ['ignore', 'pipe', 'inherit'],
  }),
);
// The same packages give the same file: no random number, no time, no name of a folder.
delete document.serialNumber;
delete document.metadata.timestamp;
document.metadata.component.name = name;

const target = new URL(process.argv[2] ?? 'dist/sbom.cdx.json', root);
mkdirSync(new URL('./', target), { recursive: true });
writeFileSync(target, `${JSON.stringify(document, null, 2)}\n`);

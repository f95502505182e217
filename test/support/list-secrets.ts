// Prints the findings of the secret scan in the tracked files of this repository, and its speed.
import { findOwnSecrets } from './own-secrets.js';

const { findings, characters, milliseconds } = findOwnSecrets();
for (const { path, detail } of findings) console.log(`${path}: ${detail}`);
console.log(`${(characters / 1e6).toFixed(1)} MB at ${(characters / 1e3 / milliseconds).toFixed(0)} MB/s`);

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Packages that `npm ci` installs, and the folder of their sources with comments; each file is there once. */
const PACKAGES = {
  tuning: [
    'typeorm/query-builder',
    'undici/lib',
    'pino/lib',
    'rxjs/src',
    'express/lib',
    'semver',
    '@nestjs/core',
    'ajv/lib',
    'prom-client/lib',
  ],
  heldOut: [
    'zod/src/v4/core',
    'luxon/src',
    'ioredis/built',
    'pg/lib',
    'jose/dist/webapi',
    'yaml/dist',
    '@nestjs/common',
    'commander/lib',
    'istanbul-reports/lib',
    'multer/lib',
    'knip/dist',
  ],
};
export type Part = keyof typeof PACKAGES;

export interface SourceFile {
  path: string;
  text: string;
}

const SOURCE = /(?<!\.d|\.min|\.spec|\.test)\.(?:js|mjs|ts)$/;
const LEFT_OUT = /\/(?:node_modules|tests?|__tests__|browser|locales)\//;
const LONGEST_FILE = 100_000;

/** The files of a part, spread evenly over each package, in a fixed order. */
export function corpusOf(part: Part, filesPerPackage: number): SourceFile[] {
  return PACKAGES[part].flatMap((folder) => {
    const paths = sourcesBelow(folder);
    const step = Math.max(1, paths.length / filesPerPackage);
    const count = Math.min(paths.length, filesPerPackage);
    return read(Array.from({ length: count }, (_, n) => paths[Math.floor(n * step)]!));
  });
}

/** All files of a package's folder, in a fixed order. */
export function filesOf(folder: string): SourceFile[] {
  return read(sourcesBelow(folder));
}

function read(paths: readonly string[]): SourceFile[] {
  return paths
    .map((path) => ({ path: path.slice('node_modules/'.length), text: readFileSync(path, 'utf8') }))
    .filter(({ text }) => text.length <= LONGEST_FILE);
}

function sourcesBelow(folder: string): string[] {
  const isSource = (path: string) => SOURCE.test(path) && !LEFT_OUT.test(path.slice('node_modules'.length));
  return filesBelow(join('node_modules', folder)).filter(isSource);
}

function filesBelow(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
}

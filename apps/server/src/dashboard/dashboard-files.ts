import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';

/** A file as it is sent. */
export interface DashboardFile {
  type: string;
  content: Buffer;
  compressed: Buffer;
  entityTag: string;
}

/** Where the build puts the dashboard; beside the sources, as in tests, there is nothing. */
const DIRECTORY = new URL('../../../dashboard/', import.meta.url);

const TYPES = {
  'index.html': 'text/html; charset=utf-8',
  'dashboard.js': 'text/javascript; charset=utf-8',
  'style.css': 'text/css; charset=utf-8',
  'icon.svg': 'image/svg+xml',
} as const;
export type DashboardFileName = keyof typeof TYPES;

/** All files by name, read once: they are few and small, and change with the program only. Null: it was not built. */
export function loadDashboard(directory: URL = DIRECTORY): ReadonlyMap<string, DashboardFile> | null {
  try {
    return new Map(Object.entries(TYPES).map(([name, type]) => [name, load(new URL(name, directory), type)]));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}

function load(file: URL, type: string): DashboardFile {
  const content = readFileSync(file);
  const digest = createHash('sha256').update(content).digest('base64url');
  return { type, content, compressed: gzipSync(content), entityTag: `"${digest}"` };
}

import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { parse } from 'yaml';

const FOLDER = new URL('../../deploy/compose/', import.meta.url);
export const COMPOSE_FOLDER = fileURLToPath(FOLDER);

export interface ComposeService {
  image: string;
  environment: Record<string, string>;
  command?: string[];
  depends_on?: Record<string, { condition: string }>;
  healthcheck?: { test: string[]; interval: string; timeout: string; retries: number };
  volumes?: string[];
  ports?: string[];
}

export interface ComposeFile {
  services: Record<string, ComposeService>;
  volumes: Record<string, unknown>;
}

/** A use of a variable: `${NAME}`, `${NAME:-default}` or `${NAME:?message}`. */
const VARIABLE = /\$\{([A-Z_]+)(?::([-?])([^}]*))?\}/g;

export function composeText(): Promise<string> {
  return readFile(new URL('compose.yaml', FOLDER), 'utf8');
}

/** The names of .env.example, with their values. */
export async function exampleVariables(): Promise<Record<string, string>> {
  const lines = (await readFile(new URL('.env.example', FOLDER), 'utf8')).split('\n');
  const pairs = lines.filter((line) => /^[A-Z_]+=/.test(line)).map((line) => line.split(/=(.*)/s, 2));
  return Object.fromEntries(pairs) as Record<string, string>;
}

export function variablesOf(text: string): { name: string; isRequired: boolean }[] {
  return [...text.matchAll(VARIABLE)].map(([, name, sign]) => ({ name: name!, isRequired: sign !== '-' }));
}

/** The file as compose reads it. @throws Error with compose's message for a required variable that is empty. */
export function interpolate(text: string, env: Record<string, string>): ComposeFile {
  const filled = text.replace(VARIABLE, (_, name: string, sign: string | undefined, rest: string) => {
    const value = env[name];
    if (value) return value;
    if (sign === '-') return rest;
    throw new Error(`required variable ${name} is missing a value: ${rest}`);
  });
  return parse(filled) as ComposeFile;
}

import { chmod, mkdir, readFile, stat, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { usageFailure } from '../failure.js';

/** A service by a short name. */
export interface Profile {
  url: string;
  /** The file that holds its token. The token itself is never in the file of the profiles. */
  token_file?: string;
}

export interface Profiles {
  /** The name of the profile that is used when a command names none. */
  default?: string;
  profiles: Record<string, Profile>;
}

export function profilesPath(env: NodeJS.ProcessEnv = process.env): string {
  const folder = env['XDG_CONFIG_HOME'] || join(homeOf(env), '.config');
  return join(folder, 'repotide', 'config.yaml');
}

/** The user of a container may be unknown to its system and have no home. */
function homeOf(env: NodeJS.ProcessEnv): string {
  try {
    return homedir();
  } catch {
    return env['HOME'] ?? '/';
  }
}

/** @returns no profiles when there is no file. @throws CommandFailure that names the field that is wrong. */
export async function readProfiles(path = profilesPath()): Promise<Profiles> {
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null;
    throw usageFailure('profiles_unreadable', `Cannot read ${path}: ${error.code ?? error.message}.`);
  });
  if (text === null) return { profiles: {} };
  // Only here, because most calls have no file.
  const { parse } = await import('../yaml.js');
  let content: unknown;
  try {
    content = parse(text);
  } catch (error) {
    throw usageFailure(
      'profiles_invalid',
      `${path} is not valid YAML: ${(error as Error).message.split('\n')[0]}`,
    );
  }
  return checked(content, path);
}

export async function writeProfiles(profiles: Profiles, path = profilesPath()): Promise<void> {
  const { stringify } = await import('../yaml.js');
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  await writeFile(path, stringify(profiles), { mode: 0o600 });
  // A file that existed keeps its permissions otherwise.
  await chmod(path, 0o600);
}

/** Reads a token, and warns when other users of the machine can read it too. */
export async function readTokenFile(path: string): Promise<string> {
  const file = resolve(path.replace(/^~(?=\/)/, homedir()));
  let token: string;
  try {
    token = (await readFile(file, 'utf8')).trim();
    if (process.platform !== 'win32' && ((await stat(file)).mode & 0o007) !== 0)
      process.stderr.write(`warning: every user of this machine can read ${file}; run: chmod 600 ${file}\n`);
  } catch (error) {
    const why = (error as NodeJS.ErrnoException).code ?? 'unreadable';
    throw usageFailure('token_file_unreadable', `Cannot read the token file ${file}: ${why}.`);
  }
  if (token !== '') return token;
  throw usageFailure('token_file_empty', `The token file ${file} is empty; it must hold a token.`);
}

function checked(content: unknown, path: string): Profiles {
  const { default: byDefault, profiles = {} } = (content ?? {}) as Partial<Profiles>;
  if (typeof profiles !== 'object') throw invalid(path, 'profiles', 'a map from names to services');
  for (const [name, profile] of Object.entries(profiles)) {
    const url = (profile as Partial<Profile> | null)?.url;
    if (typeof url !== 'string') throw invalid(path, `profiles.${name}.url`, 'the address of a service');
    const file = (profile as { token_file?: unknown }).token_file;
    if (file !== undefined && typeof file !== 'string')
      throw invalid(path, `profiles.${name}.token_file`, 'a path');
  }
  if (byDefault !== undefined && !(byDefault in profiles))
    throw invalid(
      path,
      'default',
      `one of ${Object.keys(profiles).join(', ') || 'the profiles, and there are none'}`,
    );
  return { ...(byDefault !== undefined && { default: byDefault }), profiles };
}

function invalid(path: string, field: string, expected: string): Error {
  return usageFailure('profiles_invalid', `${path}: ${field} must be ${expected}.`);
}

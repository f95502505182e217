import { usageFailure } from '../failure.js';
import { type Profile, profilesPath, readProfiles, readTokenFile } from './profiles.js';

/** The options of every command that can be a client of a running service. */
export interface ServiceOptions {
  url?: string;
  token?: string;
  tokenFile?: string;
  profile?: string;
  local?: boolean;
  requestTimeout?: number;
}

export interface Target {
  url: string;
  token: string;
}

/**
 * The service that a command talks to: the one of `--url` or `--profile`, else of REPOTIDE_URL or REPOTIDE_PROFILE, else of
 * the default profile. Null: the command embeds a service.
 * @throws CommandFailure that names the setting to change; it never shows a token.
 */
export async function targetOf(options: ServiceOptions, env = process.env): Promise<Target | null> {
  if (options.local) return null;
  const given = options.url ?? (options.profile === undefined ? env['REPOTIDE_URL'] || undefined : undefined);
  const profile =
    given === undefined ? await profileOf(options.profile ?? (env['REPOTIDE_PROFILE'] || undefined)) : null;
  const url = given ?? profile?.url;
  if (url === undefined) return null;
  await useProxiesOf(env);
  return { url: checkedUrl(url), token: await tokenOf(options, profile, env, url) };
}

/** Loads the code for it only where a proxy is set, because commands of a client start fast. */
async function useProxiesOf(env: NodeJS.ProcessEnv): Promise<void> {
  if (!['http_proxy', 'https_proxy'].some((name) => env[name] || env[name.toUpperCase()])) return;
  const { useProxies } = await import('../../../server/src/process/proxies.js');
  useProxies(env);
}

async function profileOf(name: string | undefined): Promise<Profile | null> {
  const { default: byDefault, profiles } = await readProfiles();
  const wanted = name ?? byDefault;
  if (wanted === undefined) return null;
  const found = profiles[wanted];
  if (found) return found;
  const known = Object.keys(profiles).join(', ') || 'none';
  throw usageFailure(
    'profile_unknown',
    `There is no profile "${wanted}" in ${profilesPath()}; it has: ${known}. "repotide profile set" adds one.`,
  );
}

async function tokenOf(
  { token, tokenFile }: ServiceOptions,
  profile: Profile | null,
  env: NodeJS.ProcessEnv,
  url: string,
): Promise<string> {
  if (token) return checkedToken(token, '--token');
  const file = tokenFile ?? profile?.token_file;
  if (file !== undefined) return checkedToken(await readTokenFile(file), 'the token file');
  if (env['REPOTIDE_TOKEN']) return checkedToken(env['REPOTIDE_TOKEN'], 'REPOTIDE_TOKEN');
  if (env['REPOTIDE_TOKEN_FILE'])
    return checkedToken(await readTokenFile(env['REPOTIDE_TOKEN_FILE']), 'REPOTIDE_TOKEN_FILE');
  throw usageFailure(
    'token_missing',
    `There is no token for ${new URL(url).origin}: set REPOTIDE_TOKEN or REPOTIDE_TOKEN_FILE, give --token-file, or add ` +
      'a token_file to the profile.',
  );
}

/** What does not fit into a header would make `fetch` throw an error that shows it. */
function checkedToken(token: string, where: string): string {
  if (/^[\x21-\x7e]+$/.test(token)) return token;
  throw usageFailure('token_invalid', `${where} must be printable ASCII characters without blanks.`);
}

/** @throws CommandFailure unless it is an http or https URL without a password. */
export function checkedUrl(url: string): string {
  const parsed = URL.canParse(url) ? new URL(url) : null;
  // The URL is not shown when it may hold a password.
  if (parsed?.username || parsed?.password)
    throw usageFailure('url_invalid', 'The address of the service must not contain a user or a password.');
  if (parsed && /^https?:$/.test(parsed.protocol)) return url.replace(/\/+$/, '');
  throw usageFailure(
    'url_invalid',
    `The address of the service must be an http or https URL; found "${url}".`,
  );
}

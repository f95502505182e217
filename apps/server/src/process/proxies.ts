import { EnvHttpProxyAgent, setGlobalDispatcher } from 'undici';
import { type Logger } from '@core/domain';
import { ConfigError, type Environment } from '@platform/config';
import { registerSecrets } from '@platform/observability';

const VARIABLES = ['HTTPS_PROXY', 'HTTP_PROXY'] as const;
/** Never through a proxy: there these names mean the proxy's machine. */
const LOOPBACK = 'localhost,127.0.0.1,[::1]';

/**
 * Makes `fetch` obey HTTPS_PROXY, HTTP_PROXY and NO_PROXY, in capitals or small letters; the clients of GitLab, git and Qdrant
 * read the same variables. Postgres, Redis, the Kubernetes API and this machine are always reached directly. Repeating is safe.
 * @throws ConfigError when a proxy's URL is invalid.
 */
export function useProxies(env: Environment, logger?: Logger): void {
  const proxies = VARIABLES.flatMap((variable) => proxyOf(env, variable) ?? []);
  if (proxies.length === 0) return;
  registerSecrets(
    proxies.flatMap(({ password }) => [password, decodeURIComponent(password)]).filter(Boolean),
  );
  const direct = valueOf(env, 'NO_PROXY');
  // Undici reads the process's own variables, and those in small letters first.
  if (direct !== '*') process.env['no_proxy'] = direct === '' ? LOOPBACK : `${direct},${LOOPBACK}`;
  setGlobalDispatcher(new EnvHttpProxyAgent({ proxyTunnel: false }));
  const hosts = [...new Set(proxies.map(({ host }) => host))];
  logger?.info({ proxies: hosts, no_proxy: direct }, 'Requests go through a forward proxy');
  const networks = direct.split(/[,\s]+/).filter((entry) => /\/\d+$/.test(entry));
  if (networks.length > 0)
    logger?.warn(
      { networks },
      'NO_PROXY has networks, which are ignored: list hosts or domains (.example.com)',
    );
}

function proxyOf(env: Environment, variable: (typeof VARIABLES)[number]): URL | null {
  const value = valueOf(env, variable);
  if (value === '') return null;
  const url = URL.canParse(value) ? new URL(value) : null;
  if (url !== null && ['http:', 'https:'].includes(url.protocol) && isDecodable(url)) return url;
  // The value is not shown: it may hold a password.
  const found = 'a value that is no http or https URL with an encoded user and password';
  throw new ConfigError([
    {
      variable,
      found,
      expected: 'the URL of a proxy, such as http://proxy.example.com:3128; % is written as %25',
    },
  ]);
}

/** The client decodes user and password, and fails where that is impossible. */
function isDecodable({ username, password }: URL): boolean {
  try {
    decodeURIComponent(username);
    decodeURIComponent(password);
    return true;
  } catch {
    return false;
  }
}

function valueOf(env: Environment, variable: string): string {
  return (env[variable.toLowerCase()] ?? env[variable] ?? '').trim();
}

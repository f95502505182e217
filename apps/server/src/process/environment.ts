import { type Logger, RepotideError } from '@core/domain';
import {
  describeConfig,
  loadConfig,
  readSecretFiles,
  secretValues,
  type Config,
  type Environment,
  CONFIG_EXIT_CODE,
  ConfigError,
} from '@platform/config';
import { createLogger, registerSecrets, redactText } from '@platform/observability';
import { checkCertificates } from './certificates.js';
import { useProxies } from './proxies.js';

export interface ProcessSetup {
  config: Config;
  logger: Logger;
}

/**
 * Reads the environment, with the files that it names, and creates the logger, which redacts its secrets.
 * @param logTo the output of the log; default: standard output.
 * @throws ConfigError that lists every invalid variable.
 */
export function setUpProcess(given: Environment, logTo?: NodeJS.WritableStream): ProcessSetup {
  const env = readSecretFiles(given);
  const config = loadConfig(env);
  checkCertificates(config);
  registerSecrets(secretValues(env));
  const { level, format } = config.log;
  const base = { pod: config.pod.name };
  const logger = createLogger({ level, format, base, ...(logTo ? { destination: logTo } : {}) });
  for (const warning of config.warnings) logger.warn({}, warning);
  useProxies(env, logger);
  logger.debug({ config: describeConfig(config) }, 'configuration');
  return { config, logger };
}

/** The exit code after a failed start or command. */
export function exitCodeOf(error: unknown): number {
  return error instanceof ConfigError ? CONFIG_EXIT_CODE : 1;
}

/** Describes a failed start or command for people: the found and expected values and the fix. Contains no secrets. */
export function describeFailure(error: unknown): string {
  if (error instanceof ConfigError) return redactText(error.message);
  if (error instanceof RepotideError) return redactText(`${error.message} [${error.code}]`);
  return redactText(error instanceof Error ? (error.stack ?? error.message) : String(error));
}

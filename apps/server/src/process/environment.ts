import { type Logger } from '@core/domain';
import { describeConfig, loadConfig, secretValues, type Config, type Environment } from '@platform/config';
import { createLogger, registerSecrets } from '@platform/observability';

export interface ProcessSetup {
  config: Config;
  logger: Logger;
}

/**
 * Reads the environment and creates the logger, which redacts its secrets.
 * @param logTo the output of the log; default: standard output.
 * @throws ConfigError that lists every invalid variable.
 */
export function setUpProcess(env: Environment, logTo?: NodeJS.WritableStream): ProcessSetup {
  const config = loadConfig(env);
  registerSecrets(secretValues(env));
  const { level, format } = config.log;
  const base = { pod: config.pod.name };
  const logger = createLogger({ level, format, base, ...(logTo ? { destination: logTo } : {}) });
  for (const warning of config.warnings) logger.warn({}, warning);
  logger.debug({ config: describeConfig(config) }, 'configuration');
  return { config, logger };
}

export { CONFIG_EXIT_CODE, ConfigError, type ConfigProblem } from './config-error.js';
export {
  type Config,
  type LexicalEmbeddingConfig,
  type Mode,
  type OidcConfig,
  type SignInConfig,
  type OpenAiEmbeddingConfig,
  type ProcessRole,
  type RedisConfig,
} from './arrange.js';
export { type Environment, secretValues } from './environment.js';
export { describeConfig, loadConfig } from './load-config.js';
export { readSecretFiles } from './secret-files.js';
export { type Variable } from './variable.js';
export { variableEntries } from './variables.js';

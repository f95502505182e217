import { RepotideError } from '@core/domain';
import { ConfigError } from '@platform/config';
import { redactText } from '@platform/observability';

/** A failed start or command in words: what was found, what was expected, what to change. Never a secret. */
export function describeFailure(error: unknown): string {
  if (error instanceof ConfigError) return redactText(error.message);
  if (error instanceof RepotideError) return redactText(`${error.message} [${error.code}]`);
  return redactText(error instanceof Error ? (error.stack ?? error.message) : String(error));
}

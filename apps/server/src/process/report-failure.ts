import { RepotideError } from '@core/domain';
import { ConfigError } from '@platform/config';
import { redactText } from '@platform/observability';

/** Describes a failed start or command for people: the found and expected values and the fix. Contains no secrets. */
export function describeFailure(error: unknown): string {
  if (error instanceof ConfigError) return redactText(error.message);
  if (error instanceof RepotideError) return redactText(`${error.message} [${error.code}]`);
  return redactText(error instanceof Error ? (error.stack ?? error.message) : String(error));
}

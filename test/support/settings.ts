import { type SettingsStore } from '@adapters/postgres';

/** Each setting's value, by name. */
export async function valuesInForce(settings: SettingsStore): Promise<Record<string, unknown>> {
  return Object.fromEntries((await settings.list()).map(({ name, value }) => [name, value]));
}

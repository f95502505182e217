import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createEmbeddedInstallation, type Installation } from '../support/installation.js';

let installation: Installation;
beforeAll(async () => {
  installation = await createEmbeddedInstallation({ LOG_LEVEL: 'warn' });
});
afterAll(() => installation.remove());

describe('a command that only reads', () => {
  it.each([
    ['migrate', ''],
    ['status', 'No repository is registered yet.'],
    ['status --json', '"latest_executions": []'],
    ['search anything --json', '[]'],
  ])('%s prints its result, stops its embedded database and writes no warning', async (words, answer) => {
    const command = installation.run(words.split(' '));
    expect(await command.ended).toBe(0);
    expect(command.stdout()).toContain(answer);
    expect(command.stderr()).toBe('');
    expect(await installation.databaseServer()).toBeNull();
  });
});

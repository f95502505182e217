import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createInstallation, type Installation } from '../support/installation.js';

let installation: Installation;
beforeAll(async () => {
  installation = await createInstallation({ LOG_LEVEL: 'warn' });
});
afterAll(() => installation.remove());

describe('a command that only looks', () => {
  it.each([
    ['migrate', ''],
    ['status', 'No repository is registered yet.'],
    ['status --json', '"latest_executions": []'],
    ['search anything --json', '[]'],
  ])(
    '%s: answers, stops its database server and warns of nothing',
    async (words, answer) => {
      const command = installation.run(words.split(' '));
      expect(await command.ended).toBe(0);
      expect(command.stdout()).toContain(answer);
      expect(command.stderr()).toBe('');
      expect(await installation.databaseServer()).toBeNull();
    },
    180_000,
  );
});

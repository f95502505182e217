import { randomBytes } from 'node:crypto';
import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { createInstallation, type Installation, type Service } from '../support/installation.js';

let installation: Installation;
beforeAll(async () => {
  installation = await createInstallation({ GITLAB_URL: 'http://127.0.0.1:9' });
});
afterAll(() => installation.remove());

const statusWith = async (service: Service, token: string) =>
  (await service.call('GET', '/api/v1/tokens', undefined, token)).status;

it('a generated admin token is in a private file and in no output; REPOTIDE_ADMIN_TOKEN replaces it and its own former value', async () => {
  const [first, second] = [randomBytes(16).toString('hex'), randomBytes(16).toString('hex')];

  const fresh = await installation.serve({ REPOTIDE_ADMIN_TOKEN: '' });
  const file = join(installation.dataDir, 'admin-token');
  const generated = (await readFile(file, 'utf8')).trim();
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  expect(await statusWith(fresh, generated)).toBe(200);
  await fresh.stop();
  const output = fresh.command.stdout() + fresh.command.stderr();
  expect(output).not.toContain(generated);
  expect(output).toContain(file);

  const withFirst = await installation.serve({ REPOTIDE_ADMIN_TOKEN: first });
  expect([await statusWith(withFirst, generated), await statusWith(withFirst, first)]).toEqual([401, 200]);
  await withFirst.stop();

  const withSecond = await installation.serve({ REPOTIDE_ADMIN_TOKEN: second });
  expect([await statusWith(withSecond, first), await statusWith(withSecond, second)]).toEqual([401, 200]);
  await withSecond.stop();
});

it.each(['REPOTIDE_ADMIN_TOKEN', 'GITLAB_WEBHOOK_SECRET'])(
  'the service refuses to start with a guessable %s, names the setting, and does not show the value',
  async (variable) => {
    const command = installation.run(['serve'], { PORT: '0', [variable]: 'letmein-letmein-letmein' });
    const ended = await command.ended;
    expect(ended).not.toBe(0);
    const output = command.stdout() + command.stderr();
    expect(output).toContain(variable);
    expect(output).toContain('openssl rand -hex 16');
    expect(output).not.toContain('letmein');
  },
);

import { execFile, spawnSync } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { createInstallation, type Installation, type Service } from '../support/installation.js';

const PAGES = ['operations.md', 'maintenance.md'].map(
  (page) => new URL(`../../docs/${page}`, import.meta.url),
);
const TOKEN = 'admin-token-of-the-tests';
/** An id that no row has. The commands with it must reach the right route, which then answers 404. */
const NO_ID = '11111111-2222-4333-8444-555555555555';
const itWithTools = ['bash', 'curl'].every((tool) => spawnSync(tool, ['--version']).status === 0)
  ? it
  : it.skip;

let installation: Installation;
let service: Service;

beforeAll(async () => {
  installation = await createInstallation({
    REPOTIDE_ENCRYPTION_KEY: Buffer.alloc(32, 7).toString('base64'),
  });
  service = await installation.serve();
});
afterAll(() => installation.remove());

itWithTools('every command of the runbook and of the maintenance page works unchanged', async () => {
  const pages = await Promise.all(PAGES.map((page) => readFile(page, 'utf8')));
  const blocks = [...pages.join('').matchAll(/^ *```sh\n(.*?)^ *```$/gms)].map(([, block]) => block!);
  const script = blocks.filter((block) => !block.includes('kubectl')).join('');
  const asked = script.match(/^ *curl /gm)!.length;
  const telling = script.replace(/^ *curl -sS/gm, String.raw`curl -sS -w '\nanswered %{http_code}\n'`);
  const { stdout } = await promisify(execFile)('bash', ['-euc', telling], {
    env: {
      PATH: process.env.PATH,
      ...{
        URL: service.url,
        TOKEN,
        EXECUTION: NO_ID,
        REPOSITORY: NO_ID,
        SCHEDULE: NO_ID,
        TOKEN_ID: NO_ID,
        OLD_TOKEN_ID: NO_ID,
      },
    },
  });
  const answers = [...stdout.matchAll(/^(.*)\nanswered (\d+)$/gm)].map(([, body, status]) => ({
    body,
    status,
  }));
  expect(answers).toHaveLength(asked);
  const wrong = answers.filter(({ body, status }) => !isRight(body!, Number(status)));
  expect(wrong).toEqual([]);
});

/** Tells a missing row from a missing route by the error code; both answer 404. */
function isRight(body: string, status: number): boolean {
  if (status < 300) return true;
  const { code } = JSON.parse(body) as { code: string };
  return status === 404 && /^(execution|lock|task|progress|token|repository|schedule)_not_/.test(code);
}

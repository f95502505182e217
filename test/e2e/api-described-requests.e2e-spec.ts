import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { startTestApi, type TestApi } from '../support/api-app.js';
import { describedRequest } from '../support/fuzz/described-request.js';
import { type ApiDocument, operationsOf } from '../support/operations.js';
import { rawRequest } from '../support/raw-http.js';

const REQUESTS = 30;
const SEED = Number(process.env.FUZZ_SEED ?? 20_261_123);
/** They end what the other requests need: the token, and the stream's connection. */
const LEFT_OUT = /rotate|sign-out|\/events$|DELETE \/api\/v1\/tokens/;

let api: TestApi;
let document: ApiDocument;
let ids: string[];

beforeAll(async () => {
  api = await startTestApi();
  document = (await (await fetch(`${api.url}/docs-json`)).json()) as ApiDocument;
  ids = [(await api.register()).id];
});
/** Fails for each answer that has a status or a body that the document does not describe. */
afterAll(() => api.stop());

describe(`requests that the API document allows, FUZZ_SEED=${SEED}`, () => {
  it('are never refused as malformed, and get a described answer', async () => {
    const operations = operationsOf(document).filter(({ name }) => !LEFT_OUT.test(name));
    const refusals: string[] = [];
    for (const operation of operations) {
      const known = { ids, schemas: document.components.schemas };
      const isUnderstood = fc.asyncProperty(describedRequest(operation, known), async (request) => {
        const { status, body } = await rawRequest(api.url, {
          ...request,
          headers: { Authorization: api.authorization('admin'), ...request.headers },
        });
        if (status !== 400 && status !== 500) return;
        throw new Error(`${status} ${body} to ${JSON.stringify(request)}`);
      });
      const { failed, errorInstance } = await fc.check(isUnderstood, { seed: SEED, numRuns: REQUESTS });
      if (failed) refusals.push(String(errorInstance));
    }
    expect(refusals).toEqual([]);
    expect(operations.length).toBeGreaterThan(70);
  }, 900_000);
});

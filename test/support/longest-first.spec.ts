import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from '@jest/globals';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));

interface Test {
  path: string;
  context: object;
}
interface Sequencer {
  sort(tests: Test[]): Test[];
}
const { default: LongestFirst, LONG_FILES } = (await import(
  new URL('./longest-first.mjs', import.meta.url).href
)) as { default: new (options: object) => Sequencer; LONG_FILES: Record<string, number> };

describe('the order of the test files', () => {
  it('names only files that exist', () => {
    expect(Object.keys(LONG_FILES).filter((path) => !existsSync(join(ROOT, path)))).toEqual([]);
  });

  it('starts with the longest files when no times are cached', () => {
    const context = { hasteFS: { getSize: () => 1 }, config: { rootDir: ROOT, cache: false } };
    const [longest = '', second = ''] = Object.keys(LONG_FILES);
    const order = [longest, second, 'test/e2e/x.e2e-spec.ts', 'test/x.int-spec.ts', 'libs/x.spec.ts'];
    const tests = order.toReversed().map((path) => ({ path: join(ROOT, path), context }));
    expect(new LongestFirst({}).sort(tests).map(({ path }) => path)).toEqual(
      order.map((path) => join(ROOT, path)),
    );
  });
});

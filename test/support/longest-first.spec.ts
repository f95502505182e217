import { describe, expect, it } from '@jest/globals';

interface Test {
  path: string;
  context: object;
}
interface Sequencer {
  sort(tests: Test[]): Test[];
}
const { default: LongestFirst } = (await import(new URL('./longest-first.mjs', import.meta.url).href)) as {
  default: new (options: object) => Sequencer;
};

describe('the order of the test files', () => {
  it('without cached times: end-to-end tests first, then integration tests, each by size', () => {
    const sizes: Record<string, number> = {
      'test/e2e/large.e2e-spec.ts': 20,
      'test/faults/small.e2e-spec.ts': 10,
      'test/large.int-spec.ts': 40,
      'test/small.int-spec.ts': 30,
      'libs/huge.spec.ts': 90,
    };
    const hasteFS = { getSize: (path: string) => sizes[path] };
    const context = { hasteFS, config: { rootDir: '/', cache: false } };
    const tests = Object.keys(sizes)
      .toReversed()
      .map((path) => ({ path, context }));
    expect(new LongestFirst({}).sort(tests).map(({ path }) => path)).toEqual(Object.keys(sizes));
  });
});

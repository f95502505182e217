import { describe, expect, it } from '@jest/globals';
import { BENCHMARKS } from '../../bench/benchmarks.js';
import { tableOf } from '../../bench/run/markdown.js';
import { atLeast, atMost, median } from '../../bench/run/report.js';

describe('npm run bench', () => {
  it.each(Object.keys(BENCHMARKS))(
    'knows the benchmark %s with its title and what limits it',
    async (name) => {
      const { title, explains, limits } = await BENCHMARKS[name]!();
      for (const text of [title, explains, limits]) expect(text).toMatch(/^\S.*\S$/s);
    },
  );

  it('shows minimum, median and maximum of repeated measurements', () => {
    const table = tableOf({
      title: 'Times',
      columns: [{ title: 'what' }, { title: 'seconds', digits: 1 }],
      rows: [
        ['one', [3, 1, 2]],
        ['other', 1234.56],
      ],
    });
    expect(table.split('\n').slice(2)).toEqual([
      '| what | seconds |',
      '| --- | ---: |',
      '| one | 1.0 / 2.0 / 3.0 |',
      '| other | 1,234.6 |',
    ]);
  });

  it('says whether a goal is met, and by what figure', () => {
    expect(atLeast('speed', 0.85, 0.84)).toEqual({
      goal: 'speed: at least 0.85',
      found: '0.84',
      isMet: false,
    });
    expect(atMost('memory', 300, 300, ' MiB')).toEqual({
      goal: 'memory: at most 300 MiB',
      found: '300 MiB',
      isMet: true,
    });
    expect(() => median([])).toThrow('There are no samples.');
  });
});

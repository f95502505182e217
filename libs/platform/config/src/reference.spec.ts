import { readFile } from 'node:fs/promises';
import { describe, expect, it } from '@jest/globals';
import { renderConfigurationReference } from './reference.js';
import { groups, variables } from './variables.js';

const COMMITTED = new URL('../../../../docs/configuration.md', import.meta.url);

describe('docs/configuration.md', () => {
  it('matches the table of variables; otherwise run `npm run docs:config` and commit it', async () => {
    expect(await readFile(COMMITTED, 'utf8')).toBe(renderConfigurationReference());
  });

  it('has every variable once', () => {
    const listed = groups.flatMap((group) => Object.keys(group.variables));
    expect(listed.toSorted()).toEqual(Object.keys(variables).toSorted());
  });

  it('has no pipe and no line end within a table cell', () => {
    const rows = renderConfigurationReference()
      .split('\n')
      .filter((line) => line.startsWith('| `'));
    expect(rows).toHaveLength(Object.keys(variables).length);
    for (const row of rows) expect(row.split('|')).toHaveLength(5);
  });
});

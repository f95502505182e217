import { readFile } from 'node:fs/promises';
import { describe, expect, it } from '@jest/globals';
import { variableEntries } from '@platform/config';
import { Ajv } from 'ajv';
import { parse } from 'yaml';
import { CHART, renderChartDocs } from '../../deploy/helm/generate/chart-docs.js';
import {
  OWNED_BY_THE_CHART,
  plainSettings,
  secretSettings,
} from '../../deploy/helm/generate/settings-schema.js';
import { readComments } from '../../deploy/helm/generate/values-comments.js';

const read = (name: string): Promise<string> => readFile(new URL(name, CHART), 'utf8');
const propertiesOf = (schema: object) => (schema as { properties: Record<string, object> }).properties;

const rendered = await renderChartDocs();

describe('the generated files of the chart', () => {
  it.each(Object.keys(rendered))(
    '%s is current; otherwise run `npm run docs:chart` and commit it',
    async (name) => {
      expect(await read(name)).toBe(rendered[name]);
    },
  );
});

describe('the comments of values.yaml', () => {
  it('describe every value once, in a section', async () => {
    const comments = readComments(await read('values.yaml'));
    const paths = comments.map(({ path }) => path);
    expect(new Set(paths).size).toBe(paths.length);
    expect(comments.filter(({ section }) => section === '')).toEqual([]);
  });

  it('are refused when they belong to no key', () => {
    expect(() => readComments('# -- Lost.\n\na: 1\n')).toThrow('"Lost." belongs to no key');
  });
});

describe('the settings in the schema', () => {
  const ajv = new Ajv({ strict: false });

  it('are those of the service, except the ones that the chart sets itself', () => {
    const known = Object.keys({ ...propertiesOf(plainSettings()), ...propertiesOf(secretSettings()) });
    const missing = variableEntries.map(([name]) => name).filter((name) => !known.includes(name));
    expect(missing.toSorted()).toEqual(OWNED_BY_THE_CHART.toSorted());
  });

  it('accept the default and the example of each', () => {
    const schemas = { ...propertiesOf(plainSettings()), ...propertiesOf(secretSettings()) };
    for (const [name, variable] of variableEntries) {
      const schema = schemas[name] as { type: string } | undefined;
      if (schema === undefined) continue;
      for (const value of [variable.default, variable.example].filter((known) => known !== undefined)) {
        const text = Array.isArray(value) ? value.join(',') : value;
        const typed = schema.type === 'integer' ? Number(text) : text;
        expect({ name, value, isAccepted: ajv.validate(schema, typed) }).toEqual({
          name,
          value,
          isAccepted: true,
        });
      }
    }
  });

  it('have the defaults that the templates rely on', async () => {
    const { config } = parse(await read('values.yaml')) as { config: Record<string, number> };
    const defaults = Object.fromEntries(variableEntries.map(([name, variable]) => [name, variable.default]));
    for (const [name, value] of Object.entries(config)) expect([name, value]).toEqual([name, defaults[name]]);
  });
});

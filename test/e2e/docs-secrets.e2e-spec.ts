import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { findOwnSecrets } from '../support/own-secrets.js';

const DOCUMENT = new URL('../../docs/secrets.md', import.meta.url);

/** The code spans in the first column of the table of false positives: paths, and path suffixes after a `*`. */
function documentedPlaces(): string[] {
  const [, section = ''] = readFileSync(DOCUMENT, 'utf8').split('## False positives');
  const rows = section.split('\n').filter((line) => line.startsWith('|'));
  return rows.flatMap((row) =>
    [...(row.split('|')[1] ?? '').matchAll(/`([^`]+)`/g)].map(([, word]) => word!),
  );
}

describe('the false positives that docs/secrets.md lists', () => {
  it('are complete: each listed place in this project has a finding, and no other place', () => {
    const paths = findOwnSecrets().findings.map(({ path }) => path);
    const places = documentedPlaces();
    const isIn = (path: string, place: string) =>
      place.startsWith('*') ? path.endsWith(place.slice(1)) : path === place;
    expect(paths.filter((path) => !places.some((place) => isIn(path, place)))).toEqual([]);
    expect(places.filter((place) => !paths.some((path) => isIn(path, place)))).toEqual([]);
    expect(paths.length).toBeGreaterThan(0);
  });
});

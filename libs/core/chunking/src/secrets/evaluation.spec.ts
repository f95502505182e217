import { readFile } from 'node:fs/promises';
import { describe, expect, it } from '@jest/globals';
import { type CorpusLine, scoreOf, secretCorpus } from '../../../../../test/support/secret-corpus.js';
import { findSecrets } from './find-secrets.js';

const kindsOf = (lines: readonly CorpusLine[]) => [...new Set(lines.map(({ kind }) => kind))];
const percent = (share: number) => `${(share * 100).toFixed(1)} %`;

describe('the secret scan', () => {
  it.each(['tuning', 'heldOut', 'further', 'languages'] as const)(
    'finds at least nine of ten secrets of the set %s, and nine of ten findings are secrets',
    async (set) => {
      const score = scoreOf(secretCorpus(set), findSecrets);
      expect(score.secrets).toBeGreaterThanOrEqual(300);
      expect(score.lookAlikes).toBeGreaterThanOrEqual(300);
      const facts = { missed: kindsOf(score.missed), wrong: kindsOf(score.wrong) };
      expect({ ...facts, isGood: score.recall >= 0.9 && score.precision >= 0.9 }).toEqual({
        ...facts,
        isGood: true,
      });
      const document = await readFile(new URL('../../../../../docs/secrets.md', import.meta.url), 'utf8');
      const row = [set, score.secrets, score.lookAlikes, percent(score.recall), percent(score.precision)];
      const cells = document.split('\n').find((line) => line.startsWith(`| \`${set}\``));
      expect(
        cells
          ?.split('|')
          .map((cell) => cell.trim().replaceAll('`', ''))
          .filter(Boolean),
      ).toEqual(row.map(String));
    },
  );
});

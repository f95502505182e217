import { describe, expect, it } from '@jest/globals';
import { weaknessesIn } from './server-check.js';

const SOUND = {
  redis_version: '7.0.15',
  redis_mode: 'standalone',
  maxmemory_policy: 'noeviction',
  aof_enabled: '1',
  role: 'master',
};

function info(changes: Partial<Record<keyof typeof SOUND, string>> = {}): string {
  const lines = Object.entries({ ...SOUND, ...changes }).map(([name, value]) => `${name}:${value}`);
  return ['# Server', ...lines, ''].join('\r\n');
}

describe('weaknessesIn', () => {
  it('finds none on a well-configured server', () => {
    expect(weaknessesIn(info())).toEqual([]);
  });

  it.each([
    [{ maxmemory_policy: 'allkeys-lru' }, 'maxmemory-policy noeviction'],
    [{ aof_enabled: '0' }, 'appendonly yes'],
    [{ role: 'slave' }, 'primary'],
    [{ redis_mode: 'cluster' }, 'cluster'],
    [{ redis_version: '5.0.14' }, '5.0.14'],
    [{ redis_version: '6.0.20' }, '6.2'],
  ])('names %p and what to change', (changes, advice) => {
    const found = weaknessesIn(info(changes));
    expect(found).toHaveLength(1);
    expect(found[0]).toContain(advice);
  });

  it.each(['6.2.0', '6.10.1', '7.0.15', '10.0.0', '255.255.255'])('takes version %s', (version) => {
    expect(weaknessesIn(info({ redis_version: version }))).toEqual([]);
  });

  it('reports no weakness for fields that the server omits', () => {
    expect(weaknessesIn('')).toEqual([]);
  });
});

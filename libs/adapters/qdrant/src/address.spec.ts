import { describe, expect, it } from '@jest/globals';
import { parseAddress } from './address.js';

describe('parseAddress', () => {
  it.each([
    ['http://localhost', 'http://localhost:6333'],
    ['http://localhost/', 'http://localhost:6333'],
    ['http://localhost:7000', 'http://localhost:7000'],
    ['https://qdrant.example.com', 'https://qdrant.example.com:6333'],
    ['https://qdrant.example.com:443', 'https://qdrant.example.com:443'],
    ['https://qdrant.example.com:443/', 'https://qdrant.example.com:443'],
    ['HTTPS://Qdrant.Example.com:443/base', 'https://qdrant.example.com:443/base'],
    ['http://qdrant:80', 'http://qdrant:80'],
    ['https://qdrant:80', 'https://qdrant:80'],
    ['http://qdrant/vectors/v1/', 'http://qdrant:6333/vectors/v1'],
    ['http://[::1]', 'http://[::1]:6333'],
    ['http://[::1]:80', 'http://[::1]:80'],
  ])('reads %s as %s', (url, shown) => {
    expect(parseAddress(url).shown).toBe(shown);
  });

  it.each(['qdrant:6333', 'ftp://qdrant', '', 'http://', 'http://q/?key=hidden', 'http://q/#hidden'])(
    'refuses %j and names the variable',
    (url) => {
      expect(() => parseAddress(url)).toThrow(/QDRANT_URL/);
    },
  );

  it('refuses credentials without quoting them', () => {
    let message = '';
    try {
      parseAddress('https://admin:hunter2@qdrant.example.com');
    } catch (error) {
      message = String(error);
    }
    expect(message).toMatch(/QDRANT_API_KEY/);
    expect(message).not.toMatch(/admin|hunter2/);
  });
});

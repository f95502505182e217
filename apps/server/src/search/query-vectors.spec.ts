import { describe, expect, it } from '@jest/globals';
import { createLexicalEmbedder } from '@adapters/embedding';
import { type Embedder } from '@core/domain';
import { QueryVectors } from './query-vectors.js';

const { signal } = new AbortController();

/** An embedder that counts what it embeds. */
function counting(): { embedder: Embedder; embedded: string[] } {
  const embedder = createLexicalEmbedder();
  const embedded: string[] = [];
  const embed = embedder.embed.bind(embedder);
  embedder.embed = (texts, ...rest) => {
    embedded.push(...texts);
    return embed(texts, ...rest);
  };
  return { embedder, embedded };
}

describe('the vectors of queries', () => {
  it('are embedded once for each model', async () => {
    const [one, other] = [counting(), counting()];
    const vectors = new QueryVectors();
    const first = await vectors.vectorOf(one.embedder, 'lease', signal);
    expect(await vectors.vectorOf(one.embedder, 'lease', signal)).toBe(first);
    await vectors.vectorOf(other.embedder, 'lease', signal);
    expect([one.embedded, other.embedded]).toEqual([['lease'], ['lease']]);
  });

  it('are forgotten when 500 others were used since', async () => {
    const { embedder, embedded } = counting();
    const vectors = new QueryVectors();
    await vectors.vectorOf(embedder, 'old', signal);
    for (let index = 0; index < 500; index += 1) await vectors.vectorOf(embedder, `query ${index}`, signal);
    await vectors.vectorOf(embedder, 'query 7', signal);
    await vectors.vectorOf(embedder, 'old', signal);
    expect(embedded).toHaveLength(502);
  });
});

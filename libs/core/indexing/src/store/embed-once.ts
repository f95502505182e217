import { sleep, type EmbeddedText, type EmbeddingCache } from '@core/domain';

/** Well below the time after which a claim ends. */
const RENEW_MS = 2000;
const FIRST_WAIT_MS = 20;
const LONGEST_WAIT_MS = 1000;

type Texts = ReadonlyMap<string, string>;

/**
 * Embeds texts, unless another run does so at the same time: then it takes that run's vectors from the cache. A run holds
 * claims only while it embeds, and waits for others without any, so that two runs never wait for each other.
 * @param texts by content hash.
 * @param embed embeds the texts that no other run embeds, and stores their vectors in the cache.
 */
export async function embedOnce(
  { cache, modelId, signal }: { cache: EmbeddingCache; modelId: string; signal: AbortSignal },
  texts: Texts,
  embed: (texts: Texts) => Promise<EmbeddedText[]>,
): Promise<Map<string, EmbeddedText>> {
  const results = new Map<string, EmbeddedText>();
  for (let waitMs = FIRST_WAIT_MS; ; waitMs = Math.min(2 * waitMs, LONGEST_WAIT_MS)) {
    const open = [...texts.keys()].filter((hash) => !results.has(hash));
    const { vectors, claimed } = await cache.claim(modelId, open);
    for (const [hash, vector] of vectors) results.set(hash, vector);
    const mine = new Map(claimed.map((hash) => [hash, texts.get(hash)!]));
    if (mine.size > 0) {
      const embedded = await holding(cache, modelId, claimed, () => embed(mine));
      for (const [index, hash] of claimed.entries()) results.set(hash, embedded[index]!);
    }
    if (results.size === texts.size) return results;
    await sleep(waitMs, signal);
  }
}

/** Renews the claims during the work, and ends those that remain after it: of texts that have no vector. */
async function holding(
  cache: EmbeddingCache,
  modelId: string,
  claimed: readonly string[],
  work: () => Promise<EmbeddedText[]>,
): Promise<EmbeddedText[]> {
  // A failure to renew or to end a claim costs others a wait, or a text that is embedded twice.
  const renewal = setInterval(() => void cache.renew(modelId, claimed).catch(() => undefined), RENEW_MS);
  let embedded: EmbeddedText[] = [];
  try {
    return (embedded = await work());
  } finally {
    clearInterval(renewal);
    const left = claimed.filter((_, index) => !(embedded[index] instanceof Float32Array));
    if (left.length > 0) await cache.release(modelId, left).catch(() => undefined);
  }
}

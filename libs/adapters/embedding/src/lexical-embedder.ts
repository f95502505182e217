import { setImmediate as nextTurn } from 'node:timers/promises';
import { type Embedder, throwIfAborted } from '@core/domain';
import { Features } from './lexical-features.js';

interface LexicalEmbedderOptions {
  /** Vector length; the longer, the fewer words share a position. Default 384. */
  dimensions?: number;
}

/** Refuses no text. */
interface LexicalEmbedder extends Embedder {
  embed(...call: Parameters<Embedder['embed']>): Promise<Float32Array[]>;
}

/** After about this many characters, some 10 ms of work, other tasks of the event loop run. */
const CHARACTERS_PER_TURN = 100_000;

/**
 * Computes vectors from the words of a text: deterministic, offline, free. Finds text that shares words, parts of
 * identifiers or neighbouring words with the query; knows no synonyms. See docs/embedding.md.
 */
export function createLexicalEmbedder({ dimensions = 384 }: LexicalEmbedderOptions = {}): LexicalEmbedder {
  return {
    model: Object.freeze({ id: `lexical-v1@${dimensions}`, dimensions, maxInputTokens: null }),
    // Its own loop gives way to other tasks, so two requests at once would gain nothing.
    capacity: { requests: 1, texts: 128 },
    async embed(texts, _purpose, signal) {
      const vectors: Float32Array[] = [];
      let characters = 0;
      for (const text of texts) {
        throwIfAborted(signal);
        vectors.push(new Features(text).toVector(dimensions));
        characters += text.length;
        if (characters < CHARACTERS_PER_TURN) continue;
        characters = 0;
        await nextTurn();
      }
      throwIfAborted(signal);
      return vectors;
    },
    // Its id names its algorithm, and it embeds text of any length.
    identify: () => Promise.resolve(false),
    confirm: () => Promise.resolve(),
    longestChunk: (characters) => Promise.resolve(characters),
  };
}

import { setImmediate as nextTurn } from 'node:timers/promises';
import { type Embedder, throwIfAborted } from '@core/domain';
import { Features } from './lexical-features.js';

export interface LexicalEmbedderOptions {
  /** Vector length; more means fewer words that share a place. Default 384. */
  dimensions?: number;
}

/** Texts of about this many characters are embedded between two turns of the event loop: some 10 ms. */
const CHARACTERS_PER_TURN = 100_000;

/**
 * Vectors from the words of a text alone: deterministic, offline, at no cost. Finds text that shares words, parts of
 * identifiers or neighbouring words with the query; knows no synonyms. See docs/embedding.md.
 */
export function createLexicalEmbedder({ dimensions = 384 }: LexicalEmbedderOptions = {}): Embedder {
  return {
    model: Object.freeze({ id: `lexical-v1@${dimensions}`, dimensions, maxInputTokens: null }),
    async embed(texts, _purpose, signal, _observer, onMade) {
      const vectors: Float32Array[] = [];
      let characters = 0;
      let told = 0;
      for (const text of texts) {
        throwIfAborted(signal);
        vectors.push(new Features(text).toVector(dimensions));
        characters += text.length;
        if (characters < CHARACTERS_PER_TURN) continue;
        characters = 0;
        onMade?.(vectors.length - told);
        told = vectors.length;
        await nextTurn();
      }
      throwIfAborted(signal);
      return vectors;
    },
  };
}

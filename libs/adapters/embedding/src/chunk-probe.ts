import { type ChunkLimit, cosineOf } from '@core/domain';
import { type Answer } from './embedding-server.js';
import { isTooLong } from './openai-errors.js';

/** English prose has about 4 characters per token, code has fewer. */
const CHARACTERS_PER_TOKEN = 3;
/** The probe has twice as many tokens: words of a letter and a digit, which are two tokens for most models. */
const PROBE_TOKENS_PER_CHARACTER = 2 / 3;
const SHORTEST = 100;
/** The tails of two probes differ this much, so that a whole text's vector differs clearly. */
const TAIL = 0.05;
/** Far closer than two texts with different tails, and still not exact: cards round differently. */
const SAME_VECTOR = 0.99999;

export function charactersOf(tokens: number): number {
  return Math.max(SHORTEST, tokens * CHARACTERS_PER_TOKEN);
}

/** Estimated tokens; rather too many. Characters outside ASCII are often more than one token. */
export function estimateTokens(text: string): number {
  const ascii = text.replace(/[^\p{ASCII}]/gu, '').length;
  return Math.ceil(ascii / CHARACTERS_PER_TOKEN + (text.length - ascii) * 1.5);
}

/**
 * Finds out whether a server embeds texts of this length whole. Two texts that differ only at their end have different
 * vectors, unless the server cuts them.
 */
export async function probeChunks(
  length: number,
  embed: (texts: string[]) => Promise<Answer>,
): Promise<ChunkLimit> {
  let doesRefuse = false;
  for (let characters = length; characters >= SHORTEST; characters = Math.floor(characters / 2)) {
    try {
      const [one, other] = probesOf(characters);
      const { vectors, promptTokens } = await embed([one, other]);
      if (cosineOf(vectors[0]!, vectors[1]!) < SAME_VECTOR) {
        const provenTokens = doesRefuse ? null : Math.floor(characters * PROBE_TOKENS_PER_CHARACTER);
        return { characters, provenTokens, cutTokens: null };
      }
      const cutTokens = promptTokens && (await countedLimit(promptTokens / 2, one, embed));
      if (cutTokens !== null) {
        return { characters: Math.min(characters, charactersOf(cutTokens)), provenTokens: null, cutTokens };
      }
    } catch (error) {
      if (!isTooLong(error)) throw error;
      doesRefuse = true;
      const stated = Number(error.details['max_input_tokens']);
      // The server names its limit and refuses what is longer: a text that still is too long is split then.
      if (stated > 0) {
        return {
          characters: Math.min(characters, charactersOf(stated)),
          provenTokens: null,
          cutTokens: null,
        };
      }
    }
  }
  // Even the shortest pair is refused, or equal: the vectors of this server say nothing about its limit.
  return { characters: length, provenTokens: null, cutTokens: null };
}

/** The number of tokens to which the server cut a text; null when it counts what it did not embed. */
async function countedLimit(
  tokens: number,
  text: string,
  embed: (texts: string[]) => Promise<Answer>,
): Promise<number | null> {
  const { promptTokens } = await embed([text.slice(0, text.length / 2)]);
  if (promptTokens === null || tokens > promptTokens * 1.8) return null;
  return Math.floor(tokens);
}

/** `a1 k2 e3 ...`, with the letters of either half of the alphabet at the end. */
function probesOf(characters: number): [string, string] {
  const words = Math.floor(characters / CHARACTERS_PER_TOKEN);
  const head = Math.floor(words * (1 - TAIL));
  const textOf = (firstLetter: number) =>
    Array.from({ length: words }, (_, word) => {
      const letter = word < head ? (word * 7) % 26 : firstLetter + (word % 13);
      return `${String.fromCharCode(97 + letter)}${(word * 3) % 10}`;
    }).join(' ');
  return [textOf(0), textOf(13)];
}

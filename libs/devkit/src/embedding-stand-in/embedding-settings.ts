export interface StandInModel {
  id: string;
  dimensions: number;
  /** Whether a request may ask for fewer. */
  canShorten: boolean;
}

/** Limits as OpenAI documents them; change them at any time. */
export interface EmbeddingSettings {
  models: StandInModel[];
  /** Texts in one request. */
  maxInputs: number;
  /** Tokens of one text. */
  maxInputTokens: number;
  /** Tokens of one request. */
  maxRequestTokens: number;
  /** Characters that count as one token. */
  charactersPerToken: number;
  /** A gateway with a content filter: it refuses texts that match. Null: none. */
  refusedTexts: RegExp | null;
  /** A model that makes no numbers of texts that match: 500 as Ollama has it, or zeros. Null: none. */
  poisonedTexts: { pattern: RegExp; as: 'status 500' | 'zeros' } | null;
}

/** Source of the numbers: OpenAI's reference of the embeddings endpoint. */
export function defaultEmbeddingSettings(): EmbeddingSettings {
  return {
    models: [
      { id: 'text-embedding-3-small', dimensions: 1536, canShorten: true },
      { id: 'text-embedding-3-large', dimensions: 3072, canShorten: true },
      { id: 'text-embedding-ada-002', dimensions: 1536, canShorten: false },
    ],
    maxInputs: 2048,
    maxInputTokens: 8192,
    maxRequestTokens: 300_000,
    charactersPerToken: 4,
    refusedTexts: null,
    poisonedTexts: null,
  };
}

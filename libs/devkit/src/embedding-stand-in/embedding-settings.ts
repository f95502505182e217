export interface StandInModel {
  id: string;
  dimensions: number;
  /** Whether a request may set `dimensions` to a smaller number. */
  canShorten: boolean;
}

/** Limits as OpenAI documents them; tests may change them at any time. */
export interface EmbeddingSettings {
  models: StandInModel[];
  /** Texts per request. */
  maxInputs: number;
  /** Tokens per text. */
  maxInputTokens: number;
  /** Tokens per request. */
  maxRequestTokens: number;
  /** Characters that count as one token. */
  charactersPerToken: number;
  /** Simulates a gateway with a content filter, which refuses texts that match. Null: no filter. */
  refusedTexts: RegExp | null;
  /** Simulates a model that fails for texts that match: it answers 500 as Ollama does, or zeros. Null: no failure. */
  poisonedTexts: { pattern: RegExp; as: 'status 500' | 'zeros' } | null;
}

/** Source of the limits: OpenAI's reference of the embeddings endpoint. */
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

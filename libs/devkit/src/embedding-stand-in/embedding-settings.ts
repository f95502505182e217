export interface StandInModel {
  id: string;
  dimensions: number;
  /** Whether a request may set `dimensions` to a smaller number. */
  canShorten: boolean;
  /** Other weights give other vectors under the same name. */
  weights?: string;
}

/** A server's words for a text that has too many tokens. */
export type LengthRefusal = (tokens: number, limit: number) => { status: number; body: object };

/** As released servers answer on `/v1/embeddings`. */
export const LENGTH_REFUSALS = {
  OpenAI: (tokens, limit) => ({
    status: 400,
    body: {
      error: {
        message: `This model's maximum context length is ${limit} tokens, however you requested ${tokens} tokens (${tokens} in your prompt; 0 for the completion). Please reduce your prompt; or completion length.`,
        type: 'invalid_request_error',
        param: null,
        code: null,
      },
    },
  }),
  vLLM: (tokens, limit) => ({
    status: 400,
    body: {
      object: 'error',
      message: `This model's maximum context length is ${limit} tokens. However, you requested ${tokens} tokens in the input for embedding generation. Please reduce the length of the input.`,
      type: 'BadRequestError',
      param: null,
      code: 400,
    },
  }),
  'Text Embeddings Inference': (tokens, limit) => ({
    status: 413,
    body: {
      message: `Input validation error: \`inputs\` must have less than ${limit} tokens. Given: ${tokens}`,
      code: 413,
      type: 'Validation',
    },
  }),
  Ollama: () => ({
    status: 400,
    body: {
      error: {
        message: 'the input length exceeds the context length',
        type: 'api_error',
        param: null,
        code: null,
      },
    },
  }),
  'LM Studio': (tokens, limit) => ({
    status: 400,
    body: { error: `Cannot truncate prompt with n_keep (${tokens}) >= n_ctx (${limit})` },
  }),
  'llama.cpp': (tokens, limit) => ({
    status: 500,
    body: {
      error: {
        code: 500,
        message: `input (${tokens} tokens) is too large to process. increase the physical batch size (current batch size: ${limit})`,
        type: 'server_error',
      },
    },
  }),
  Infinity: (_tokens, limit) => ({
    status: 422,
    body: { detail: `String should have at most ${limit * 15} characters` },
  }),
} satisfies Record<string, LengthRefusal>;

/** Limits as OpenAI documents them; tests may change them at any time. */
export interface EmbeddingSettings {
  models: StandInModel[];
  /** Texts per request. */
  maxInputs: number;
  /** Tokens per text. */
  maxInputTokens: number;
  /** What happens to a longer text: the words of its refusal, or it is cut without an error. */
  longTexts: LengthRefusal | 'cut';
  /** The tokens in `usage`: those that were embedded, those of the whole texts, or no usage at all. */
  usage: 'embedded' | 'sent' | 'none';
  /** Tokens per request. */
  maxRequestTokens: number;
  /** Characters that count as one token. */
  charactersPerToken: number;
  /** Simulates a gateway with a content filter, which refuses texts that match. Null: no filter. */
  refusedTexts: RegExp | null;
  /**
   * Simulates a model that fails for texts that match: it answers 500 as Ollama does, zeros, or one vector for all.
   * Null: no failure.
   */
  poisonedTexts: { pattern: RegExp; as: 'status 500' | 'zeros' | 'equal' } | null;
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
    longTexts: LENGTH_REFUSALS.OpenAI,
    usage: 'embedded',
    maxRequestTokens: 300_000,
    charactersPerToken: 4,
    refusedTexts: null,
    poisonedTexts: null,
  };
}

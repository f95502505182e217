interface KnownModel {
  /** Vector length when the request sends none. */
  dimensions: number;
  maxInputTokens: number;
}

/** From the model cards of widely used models. Keyed by the name in lower case, without its organisation. */
const KNOWN_MODELS: Readonly<Record<string, KnownModel>> = {
  'text-embedding-3-small': { dimensions: 1536, maxInputTokens: 8192 },
  'text-embedding-3-large': { dimensions: 3072, maxInputTokens: 8192 },
  'text-embedding-ada-002': { dimensions: 1536, maxInputTokens: 8192 },
  'all-minilm-l6-v2': { dimensions: 384, maxInputTokens: 256 },
  'bge-m3': { dimensions: 1024, maxInputTokens: 8192 },
  'bge-small-en-v1.5': { dimensions: 384, maxInputTokens: 512 },
  'bge-base-en-v1.5': { dimensions: 768, maxInputTokens: 512 },
  'bge-large-en-v1.5': { dimensions: 1024, maxInputTokens: 512 },
  'codestral-embed': { dimensions: 1536, maxInputTokens: 8192 },
  'jina-embeddings-v2-base-code': { dimensions: 768, maxInputTokens: 8192 },
  'jina-embeddings-v3': { dimensions: 1024, maxInputTokens: 8192 },
  'mistral-embed': { dimensions: 1024, maxInputTokens: 8192 },
  'multilingual-e5-small': { dimensions: 384, maxInputTokens: 512 },
  'multilingual-e5-base': { dimensions: 768, maxInputTokens: 512 },
  'multilingual-e5-large': { dimensions: 1024, maxInputTokens: 512 },
  'multilingual-e5-large-instruct': { dimensions: 1024, maxInputTokens: 512 },
  'mxbai-embed-large': { dimensions: 1024, maxInputTokens: 512 },
  'mxbai-embed-large-v1': { dimensions: 1024, maxInputTokens: 512 },
  'nomic-embed-text': { dimensions: 768, maxInputTokens: 2048 },
  'nomic-embed-text-v1.5': { dimensions: 768, maxInputTokens: 8192 },
  'qwen3-embedding-0.6b': { dimensions: 1024, maxInputTokens: 32_768 },
  'qwen3-embedding-4b': { dimensions: 2560, maxInputTokens: 32_768 },
  'qwen3-embedding-8b': { dimensions: 4096, maxInputTokens: 32_768 },
  'voyage-code-3': { dimensions: 1024, maxInputTokens: 32_000 },
};

/** Also finds `BAAI/bge-m3`, and Ollama's `bge-m3:latest` and `qwen3-embedding:0.6b`. */
export function findKnownModel(name: string): KnownModel | undefined {
  const bare = name.toLowerCase().replace(/^.*\//, '');
  const candidates = [bare, bare.replace(':', '-'), bare.replace(/:.*$/, '')];
  return candidates.map((candidate) => KNOWN_MODELS[candidate]).find((model) => model !== undefined);
}

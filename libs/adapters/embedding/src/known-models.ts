import { type EmbeddingPurpose } from '@core/domain';

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

/** What a model expects before a text, by the purpose of the text. */
export type Prefixes = Readonly<Record<EmbeddingPurpose, string>>;

const NO_PREFIXES: Prefixes = { query: '', document: '' };
const SEARCH_PASSAGES: Prefixes = {
  query: 'Represent this sentence for searching relevant passages: ',
  document: '',
};
const INSTRUCTION =
  'Instruct: Given a web search query, retrieve relevant passages that answer the query\nQuery:';

/** From the model cards. The first pattern that matches the bare name in lower case applies. */
const PREFIXES: readonly (readonly [RegExp, Prefixes])[] = [
  [/^(multilingual-)?e5-.*instruct|^gte-qwen2-.*instruct/, { query: `${INSTRUCTION} `, document: '' }],
  [/^(multilingual-)?e5-(small|base|large)/, { query: 'query: ', document: 'passage: ' }],
  [/^bge-(small|base|large)(-en.*)?$|^mxbai-embed-large/, SEARCH_PASSAGES],
  [/^snowflake-arctic-embed(2|.*-v2)/, { query: 'query: ', document: '' }],
  [/^snowflake-arctic-embed/, SEARCH_PASSAGES],
  [/^nomic-embed-text/, { query: 'search_query: ', document: 'search_document: ' }],
  [/^nomic-embed-code/, { query: 'Represent this query for searching relevant code: ', document: '' }],
  [/^qwen3-embedding/, { query: INSTRUCTION, document: '' }],
  [/^embeddinggemma/, { query: 'task: search result | query: ', document: 'title: none | text: ' }],
];

/** Also finds `BAAI/bge-m3`, and Ollama's `bge-m3:latest` and `qwen3-embedding:0.6b`. */
export function findKnownModel(name: string): KnownModel | undefined {
  return spellingsOf(name)
    .map((spelling) => KNOWN_MODELS[spelling])
    .find((model) => model !== undefined);
}

export function prefixesOf(name: string): Prefixes {
  const [bare] = spellingsOf(name);
  return PREFIXES.find(([pattern]) => bare!.search(pattern) >= 0)?.[1] ?? NO_PREFIXES;
}

function spellingsOf(name: string): string[] {
  const bare = name.toLowerCase().replace(/^.*\//, '');
  return [bare.replace(':', '-'), bare, bare.replace(/:.*$/, '')];
}

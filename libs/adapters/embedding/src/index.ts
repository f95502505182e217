export { createLexicalEmbedder, type LexicalEmbedderOptions } from './lexical-embedder.js';
export { createOpenAiEmbedder, type OpenAiEmbedder, type OpenAiEmbedderOptions } from './openai-embedder.js';

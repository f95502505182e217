export { createLexicalEmbedder } from './lexical-embedder.js';
export { CANARY } from './model-identity.js';
export { OpenAiEmbedder } from './openai-embedder.js';

export { createLexicalEmbedder } from './lexical-embedder.js';
export { OpenAiEmbedder } from './openai-embedder.js';

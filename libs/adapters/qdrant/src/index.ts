export { createQdrantVectorStore, type QdrantOptions } from './vector-store.js';

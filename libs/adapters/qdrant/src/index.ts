export { QdrantVectorStore, type QdrantOptions } from './vector-store.js';

export { createQdrantStore, type QdrantOptions } from './vector-store.js';

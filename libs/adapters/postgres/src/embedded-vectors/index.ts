export { createEmbeddedVectorStore, type EmbeddedVectorStoreOptions } from './embedded-vector-store.js';

export { createEmbeddedVectorStore } from './embedded-vector-store.js';

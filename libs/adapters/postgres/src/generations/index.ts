export { createGenerationStore } from './generation-store.js';

export { createDiscoveryStore } from './discovery-store.js';

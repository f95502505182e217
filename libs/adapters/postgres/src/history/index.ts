export { createHistoryKeeper } from './history-keeper.js';
export { createHistoryStore } from './history-store.js';

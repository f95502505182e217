export { createHistoryKeeper } from './history-keeper.js';
export { createHistoryStore } from './history-store.js';
export { countExecutions } from './count-executions.js';
export { atOneMoment } from '../sql/one-moment.js';

import { type HistoryKeeper } from '@core/domain';
import { type Database } from '../sql/database.js';
import { foldPending } from './fold.js';
import { deleteOld } from './retention.js';

/** The chores of history. */
export function createHistoryKeeper(db: Database): HistoryKeeper {
  return { fold: () => foldPending(db), deleteOld: (retention) => deleteOld(db, retention) };
}

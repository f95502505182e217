import { type Discovery, type DiscoveryStore, type Logger, type SourceFactory } from '@core/domain';
import { type Wanted } from './plan.js';

export interface DiscoveryPorts {
  store: DiscoveryStore;
  sources: SourceFactory;
  logger: Logger;
  /** The schedule of a new repository; null: none. */
  scheduleFor: (discovery: Discovery, repository: Wanted) => Parameters<DiscoveryStore['register']>[2];
}

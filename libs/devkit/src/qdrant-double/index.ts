export {
  startQdrantDouble,
  type DoubleCollectionView,
  type QdrantDouble,
  type QdrantDoubleOptions,
} from './qdrant-double.js';
export { type QdrantFault } from './faults.js';
export { type DoublePoint, type StrictMode } from './collection.js';
export { type QdrantRequestRecord } from './request-handler.js';

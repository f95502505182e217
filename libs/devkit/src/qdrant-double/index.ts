export {
  startQdrantDouble,
  type DoubleCollectionView,
  type QdrantDouble,
  type QdrantDoubleOptions,
} from './qdrant-double.js';
export { type QdrantFault } from './faults.js';
export { type DoublePoint } from './collection.js';
export { type StrictMode } from './strict-mode.js';
export { type QdrantRequestRecord } from './request-handler.js';

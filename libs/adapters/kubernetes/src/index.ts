export { type Cluster, findCluster } from './cluster.js';
export { createNoPodDirectory } from './no-pod-directory.js';
export {
  KubernetesPodDirectory,
  type KubernetesPodDirectoryOptions,
  type WatchTimes,
} from './pod-directory.js';

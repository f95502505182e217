export { type Cluster, findCluster } from './cluster.js';
export { createNoPodDirectory } from './no-pod-directory.js';
export {
  createKubernetesPodDirectory,
  type FollowTimes,
  type KubernetesPodDirectoryOptions,
} from './pod-directory.js';

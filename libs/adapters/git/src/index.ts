export {
  createGitSourceFactory,
  type GitSourceFactory,
  type GitSourceOptions,
} from './git-source-factory.js';
export { type ObjectCacheObserver } from './object-cache.js';

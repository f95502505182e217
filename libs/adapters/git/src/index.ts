export { createGitSourceFactory, type GitSourceOptions } from './git-source-factory.js';

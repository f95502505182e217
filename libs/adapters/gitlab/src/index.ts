export { createGitLabSourceFactory, type GitLabSourceOptions } from './source-factory.js';

export { createGitLabTokenRefresher } from './oauth.js';
export { createGitLabSourceFactory, type GitLabSourceOptions } from './source-factory.js';

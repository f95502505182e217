export { createGitLabTokenRefresher } from './oauth.js';
export { OutgoingHosts } from './outgoing/outgoing-hosts.js';
export { createGitLabSourceFactory, type GitLabSourceOptions } from './source-factory.js';

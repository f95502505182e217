export { openDispatcher } from './access/dispatcher.js';
export { OutgoingHosts } from './access/outgoing-hosts.js';
export { createGitLabTokenRefresher } from './access/token-refresher.js';
export { createGitLabSourceFactory, type GitLabSourceOptions } from './source-factory.js';

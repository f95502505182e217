export { ContentThreads, type ContentThreadsOptions } from './content-threads.js';
export { serveContentJobs } from './serve-content-jobs.js';

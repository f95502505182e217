export { createExecutionArchive } from './execution-archive.js';

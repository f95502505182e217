export { createExecutionArchive } from '../executions/execution-archive.js';

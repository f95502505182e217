export { openContext, createServer } from './process/application.js';
export { setUpProcess, type ProcessSetup } from './process/environment.js';
export { describeFailure } from './process/report-failure.js';
export { serve } from './process/serve.js';
export { RunsService } from './runs/runs.service.js';
export { MemoryProgress, type ProgressSnapshot } from './runs/memory-progress.js';
export * as tokens from './tokens.js';
export { RegistrationService } from './repositories/registration.service.js';
export { SearchService } from './search/search.service.js';

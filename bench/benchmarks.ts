import { type Benchmark } from './run/report.js';

/** Sorted like `npm run bench` runs them. Each is loaded when it runs. */
export const BENCHMARKS: Readonly<Record<string, () => Promise<Benchmark>>> = {
  start: async () => (await import('./start.js')).start,
  'first-sync': async () => (await import('./first-sync.js')).firstSync,
  incremental: async () => (await import('./incremental.js')).incremental,
  transport: async () => (await import('./transport.js')).transport,
  economy: async () => (await import('./economy.js')).economy,
  memory: async () => (await import('./memory.js')).memory,
  idle: async () => (await import('./idle.js')).idle,
  scheduling: async () => (await import('./scheduling.js')).scheduling,
  recovery: async () => (await import('./recovery.js')).recovery,
  search: async () => (await import('./search.js')).search,
  views: async () => (await import('./views.js')).views,
  retrieval: async () => (await import('./retrieval.js')).retrieval,
  hostile: async () => (await import('./hostile-content.js')).hostile,
};

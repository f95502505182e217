import { type FactoryProvider } from '@nestjs/common';
import { type RunnerPorts } from '@core/executions';
import { Metrics } from '../metrics/metrics.js';
import { MetricsRunObserver } from '../metrics/run-observer.js';
import {
  CLOCK,
  EXECUTION_STORE,
  HINTS,
  LEASE_MANAGER,
  LOGGER,
  MANIFEST_STORE,
  PROGRESS,
  REPOSITORY_STORE,
  RUNNER_PORTS,
  TRACING,
} from '../injection-tokens.js';

type Part<Key extends keyof RunnerPorts> = RunnerPorts[Key];

/** What a run needs from the outside, and who hears of it: its progress and the metrics. */
export const runnerPortsProvider: FactoryProvider<RunnerPorts> = {
  provide: RUNNER_PORTS,
  useFactory: (
    executions: Part<'executions'>,
    repositories: Part<'repositories'>,
    manifest: Part<'manifest'>,
    leases: Part<'leases'>,
    hints: Part<'hints'>,
    logger: Part<'logger'>,
    clock: Part<'clock'>,
    tracer: Part<'tracer'>,
    progress: Part<'observers'>[number],
    metrics: Metrics,
  ) => ({
    executions,
    repositories,
    manifest,
    leases,
    hints,
    logger,
    clock,
    tracer,
    observers: [progress, new MetricsRunObserver(metrics)],
  }),
  inject: [
    EXECUTION_STORE,
    REPOSITORY_STORE,
    MANIFEST_STORE,
    LEASE_MANAGER,
    HINTS,
    LOGGER,
    CLOCK,
    TRACING,
    PROGRESS,
    Metrics,
  ],
};

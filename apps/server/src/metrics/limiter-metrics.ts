import { type HostBudget } from '@core/domain';
import { type LimiterObserver } from '@core/rate-limit';
import { type Metrics } from './metrics.js';

/** Maximum number of hosts as label values; an installation reads from a few hosts. */
const MAX_HOSTS = 50;

/** Counts the effects of rate limits on the requests of this process. */
export function limiterMetrics(metrics: Metrics): LimiterObserver {
  const hosts = new Set<string>();
  const labelsOf = ({ host, name: budget }: HostBudget): { host: string; budget: string } => {
    if (hosts.size < MAX_HOSTS) hosts.add(host);
    return { host: hosts.has(host) ? host : 'other', budget };
  };
  return {
    waited: (budget, ms) => metrics.hostWaitSeconds.inc(labelsOf(budget), ms / 1000),
    paused: (budget) => metrics.hostRefusals.inc(labelsOf(budget)),
  };
}

/** Seconds, named after the settings. */
export interface Timings {
  leaseTtl: number;
  leaseRenew: number;
  reaper: number;
  poll: number;
  shutdownGrace: number;
  maxRun: number;
  /** Limit of one request to GitLab or to the embedding server. */
  request: number;
}

export const TIMINGS: Readonly<Record<'production' | 'shrunk' | 'smoke', Timings>> = {
  /** The defaults of the product. */
  production: {
    leaseTtl: 60,
    leaseRenew: 15,
    reaper: 15,
    poll: 5,
    shutdownGrace: 60,
    maxRun: 1800,
    request: 30,
  },
  /** The same proportions in about a tenth of the time, so that many faults fit into a few minutes. */
  shrunk: { leaseTtl: 8, leaseRenew: 2, reaper: 2, poll: 1, shutdownGrace: 20, maxRun: 120, request: 4 },
  smoke: { leaseTtl: 6, leaseRenew: 2, reaper: 1, poll: 1, shutdownGrace: 15, maxRun: 60, request: 3 },
};

/** The lost pod may be the leader. Its leadership expires after this time, in parallel with the lease. */
const LEADER_TTL_SECONDS = 10;
/** Time for dispatch and start on a busy machine. */
const SLACK_SECONDS = 5;

/** From the loss of a pod to the start of the next attempt: 80 s with the defaults, plus the slack for a busy machine. */
export function takeOverBoundSeconds({ leaseTtl, reaper, poll }: Timings): number {
  return Math.max(leaseTtl, LEADER_TTL_SECONDS) + reaper + poll + SLACK_SECONDS;
}

export function environmentOf(timings: Timings): Record<string, string> {
  const seconds = {
    LEASE_TTL_SECONDS: timings.leaseTtl,
    LEASE_RENEW_SECONDS: timings.leaseRenew,
    REAPER_INTERVAL_SECONDS: timings.reaper,
    SCHEDULE_POLL_SECONDS: timings.poll,
    SHUTDOWN_GRACE_SECONDS: timings.shutdownGrace,
    MAX_RUN_SECONDS: timings.maxRun,
    REQUEST_TIMEOUT_SECONDS: timings.request,
  };
  return Object.fromEntries(Object.entries(seconds).map(([name, value]) => [name, String(value)]));
}

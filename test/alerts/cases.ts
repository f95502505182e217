/** One series for each key; values in the notation of promtool: `0x5` is six zeros, `0+1x5` counts from 0 to 5. */
export type Series = Record<string, string>;

export interface AlertCase {
  series: Series;
  /** Minutes after the first sample, one of which comes each minute. */
  at: number;
}

/** Each alert has a case in which it fires, and the closest neighbours in which it must not. */
export const ALERT_CASES: Record<string, { fires: AlertCase; silent: Record<string, AlertCase> }> = {
  RepotideAbsent: {
    fires: { series: { up: '1x20' }, at: 6 },
    silent: {
      'before five minutes': { series: { up: '1x20' }, at: 4 },
      'while a pod without leadership answers': { series: { [on('a', 'leader')]: '0x20' }, at: 10 },
      'during a short restart': { series: { [on('a', 'leader')]: '1x5 _x3 1x20' }, at: 9 },
    },
  },
  RepotideNoLeader: {
    fires: { series: { [on('a', 'leader')]: '0x20', [on('b', 'leader')]: '0x20' }, at: 6 },
    silent: {
      'with one leader': { series: { [on('a', 'leader')]: '0x20', [on('b', 'leader')]: '1x20' }, at: 10 },
      'while the leader changes': { series: { [on('a', 'leader')]: '1x5 0x3 1x20' }, at: 9 },
      'without any pod, which is RepotideAbsent': { series: { up: '1x20' }, at: 10 },
    },
  },
  RepotideRunsFailing: {
    fires: { series: { [runs('failed')]: '0x5 3x60', [runs('completed')]: '0x5 4x60' }, at: 20 },
    silent: {
      'after two failures': { series: { [runs('failed')]: '0x5 2x60', [runs('completed')]: '0x65' }, at: 20 },
      'when a fifth or less failed': {
        series: { [runs('failed')]: '0x5 3x60', [runs('completed')]: '0x5 40x60' },
        at: 20,
      },
      'an hour after the failures': {
        series: { [runs('failed')]: '0x5 3x120', [runs('completed')]: '0x120' },
        at: 80,
      },
    },
  },
  RepotideDiscoveryFailing: {
    fires: { series: { [discoveries('failed')]: '0x5 3x60', [discoveries('completed')]: '0x60' }, at: 20 },
    silent: {
      'after two failures': {
        series: { [discoveries('failed')]: '0x5 2x60', [discoveries('completed')]: '0x60' },
        at: 20,
      },
      'when one completed': {
        series: { [discoveries('failed')]: '0x5 3x60', [discoveries('completed')]: '0x8 1x60' },
        at: 20,
      },
      'six hours later': {
        series: { [discoveries('failed')]: '0x5 3x500', [discoveries('completed')]: '0x500' },
        at: 400,
      },
    },
  },
  RepotideHostLimited: {
    fires: { series: { [refusals('one.example.com')]: '0+1x90' }, at: 65 },
    silent: {
      'before half an hour': { series: { [refusals('one.example.com')]: '0+1x90' }, at: 40 },
      'at fifteen refusals in half an hour': {
        series: { [refusals('one.example.com')]: '0+0.5x90' },
        at: 65,
      },
      'when two hosts have fifteen each': {
        series: { [refusals('one.example.com')]: '0+0.5x90', [refusals('two.example.com')]: '0+0.5x90' },
        at: 65,
      },
    },
  },
  RepotideRunStuck: {
    fires: {
      series: {
        [on('a', 'active_runs')]: '1x90',
        [runs('completed')]: '5x90',
        [process('a')]: '0x90',
      },
      at: 70,
    },
    silent: {
      'on a busy pod that is two minutes old': {
        series: { [on('a', 'active_runs')]: '_x67 1x20', [process('a')]: '_x67 4080x20' },
        at: 70,
      },
      'while runs end': {
        series: {
          [on('a', 'active_runs')]: '1x90',
          [runs('completed')]: '0x60 1x30',
          [process('a')]: '0x90',
        },
        at: 70,
      },
      'when the pod was idle once': {
        series: {
          [on('a', 'active_runs')]: '1x40 0 1x50',
          [runs('completed')]: '5x90',
          [process('a')]: '0x90',
        },
        at: 70,
      },
    },
  },
  RepotideIndexLost: {
    fires: { series: { [on('a', 'repositories_lost')]: '0x5 2x2 0x30' }, at: 10 },
    silent: {
      'while none is lost': { series: { [on('a', 'repositories_lost')]: '0x30' }, at: 10 },
      'a quarter of an hour after the repair': {
        series: { [on('a', 'repositories_lost')]: '0x5 2x2 0x30' },
        at: 25,
      },
      'when repositories drifted only': { series: { [on('a', 'repositories_drifted')]: '1x30' }, at: 10 },
    },
  },
  RepotideIndexDrift: {
    fires: { series: { [on('a', 'repositories_drifted')]: '1x90' }, at: 65 },
    silent: {
      'before an hour': { series: { [on('a', 'repositories_drifted')]: '1x90' }, at: 50 },
      'without drift': { series: { [on('a', 'repositories_drifted')]: '0x90' }, at: 65 },
      'after a repair': { series: { [on('a', 'repositories_drifted')]: '1x40 0 1x40' }, at: 65 },
    },
  },
  RepotideVerificationOverdue: {
    fires: { series: { [on('a', 'repositories_verification_overdue')]: '3x400' }, at: 370 },
    silent: {
      'before six hours': { series: { [on('a', 'repositories_verification_overdue')]: '3x400' }, at: 300 },
      'when none is overdue': {
        series: { [on('a', 'repositories_verification_overdue')]: '0x400' },
        at: 370,
      },
      'when the verifications caught up in between': {
        series: { [on('a', 'repositories_verification_overdue')]: '3x200 0 3x200' },
        at: 370,
      },
    },
  },
  RepotideRepositoryStale: {
    fires: { series: { [age('one')]: '90000x30' }, at: 20 },
    silent: {
      'before a quarter of an hour': { series: { [age('one')]: '90000x30' }, at: 10 },
      'at exactly a day': { series: { [age('one')]: '86400x30' }, at: 20 },
      'after a sync': { series: { [age('one')]: '90000x10 60x30' }, at: 20 },
    },
  },
  RepotideQueueGrowing: {
    fires: { series: { [on('a', 'queue_depth')]: '0+1x90' }, at: 50 },
    silent: {
      'at a long but constant queue': { series: { [on('a', 'queue_depth')]: '40x90' }, at: 50 },
      'below eleven': { series: { [on('a', 'queue_depth')]: '0x30 9x60' }, at: 50 },
      'while it shrinks': { series: { [on('a', 'queue_depth')]: '90-1x60' }, at: 50 },
    },
  },
  RepotideClaimLag: {
    fires: { series: lags({ 15: '0x40', 60: '0+1x40', '+Inf': '0+1x40' }), at: 15 },
    silent: {
      'before ten minutes': { series: lags({ 15: '0x40', 60: '0+1x40', '+Inf': '0+1x40' }), at: 8 },
      'when ticks are claimed within a second': {
        series: lags({ 1: '0+1x40', 60: '0+1x40', '+Inf': '0+1x40' }),
        at: 15,
      },
      'when no tick is due': { series: lags({ 1: '5x40', 60: '9x40', '+Inf': '9x40' }), at: 15 },
    },
  },
  RepotideLeaseLost: {
    fires: { series: { [on('a', 'lease_losses_total')]: '0x3 1x30' }, at: 8 },
    silent: {
      'without a loss': { series: { [on('a', 'lease_losses_total')]: '4x30' }, at: 8 },
      'a quarter of an hour later': { series: { [on('a', 'lease_losses_total')]: '0x3 1x30' }, at: 25 },
      'when runs failed only': { series: { [runs('failed')]: '0x3 1x30' }, at: 8 },
    },
  },
  RepotideRunsInterrupted: {
    fires: { series: { [recovered('queued')]: '0x3 4x60' }, at: 10 },
    silent: {
      'after three': { series: { [recovered('queued')]: '0x3 3x60' }, at: 10 },
      'after three in a window that is covered': { series: { [recovered('queued')]: '0x63 3x60' }, at: 90 },
      'an hour later': { series: { [recovered('queued')]: '0x3 4x90' }, at: 80 },
    },
  },
  RepotideEventLoopBlocked: {
    fires: { series: { 'nodejs_eventloop_lag_p99_seconds{instance="a:3000"}': '2x30' }, at: 15 },
    silent: {
      'before ten minutes': {
        series: { 'nodejs_eventloop_lag_p99_seconds{instance="a:3000"}': '2x30' },
        at: 8,
      },
      'at half a second': {
        series: { 'nodejs_eventloop_lag_p99_seconds{instance="a:3000"}': '0.5x30' },
        at: 15,
      },
      'at single peaks': {
        series: { 'nodejs_eventloop_lag_p99_seconds{instance="a:3000"}': '2x8 0.1 2x8 0.1 2x8' },
        at: 15,
      },
    },
  },
  RepotideProgressOff: {
    fires: { series: { [breaker('open')]: '1x30', [breaker('closed')]: '0x30' }, at: 15 },
    silent: {
      'before ten minutes': { series: { [breaker('open')]: '1x30', [breaker('closed')]: '0x30' }, at: 8 },
      'while it is closed': { series: { [breaker('open')]: '0x30', [breaker('closed')]: '1x30' }, at: 15 },
      'when it closed in between': { series: { [breaker('open')]: '1x8 0 1x20' }, at: 15 },
    },
  },
  RepotideEventsDropped: {
    fires: { series: { [on('a', 'sse_dropped_events_total')]: '0+1x60' }, at: 30 },
    silent: {
      'before a quarter of an hour': { series: { [on('a', 'sse_dropped_events_total')]: '0+1x60' }, at: 12 },
      'without drops': { series: { [on('a', 'sse_dropped_events_total')]: '7x60' }, at: 30 },
      'after one drop': { series: { [on('a', 'sse_dropped_events_total')]: '0x2 1x60' }, at: 25 },
    },
  },
  RepotideAuditRecordsLost: {
    fires: { series: { [on('a', 'audit_records_lost_total')]: '0x5 7x30' }, at: 10 },
    silent: {
      'while none is lost': { series: { [on('a', 'audit_records_lost_total')]: '0x90' }, at: 70 },
      'when writes failed and the records waited': {
        series: {
          [on('a', 'audit_records_lost_total')]: '0x30',
          [on('a', 'audit_write_failures_total')]: '0+5x30',
        },
        at: 20,
      },
      'more than an hour later': { series: { [on('a', 'audit_records_lost_total')]: '0x5 7x120' }, at: 80 },
    },
  },
  RepotideDeclarationFailing: {
    fires: {
      series: { [on('a', 'declared_failures')]: '0x60', [on('b', 'declared_failures')]: '2x60' },
      at: 20,
    },
    silent: {
      'before a quarter of an hour': { series: { [on('b', 'declared_failures')]: '2x60' }, at: 10 },
      'while all can be applied': { series: { [on('b', 'declared_failures')]: '0x60' }, at: 20 },
      'when a later round succeeded': { series: { [on('b', 'declared_failures')]: '2x10 0 2x10' }, at: 20 },
    },
  },
  RepotideFreshnessBurnsFast: {
    fires: { series: { [dueSyncs('fresh')]: '0+8x120', [dueSyncs('late')]: '0+2x120' }, at: 70 },
    silent: {
      'when a tenth is late': {
        series: { [dueSyncs('fresh')]: '0+9x120', [dueSyncs('late')]: '0+1x120' },
        at: 70,
      },
      'when the cause ended ten minutes ago': {
        series: { [dueSyncs('fresh')]: '0+4x60 240+10x60', [dueSyncs('failed')]: '0+6x60 360x60' },
        at: 72,
      },
      'after two late syncs': {
        series: { [dueSyncs('fresh')]: '0x120', [dueSyncs('late')]: '0x68 1 2x50' },
        at: 71,
      },
    },
  },
  RepotideFreshnessBurnsSlowly: {
    fires: { series: { [dueSyncs('fresh')]: '0+9x500', [dueSyncs('failed')]: '0+1x500' }, at: 400 },
    silent: {
      'when a twentieth failed': {
        series: { [dueSyncs('fresh')]: '0+19x500', [dueSyncs('failed')]: '0+1x500' },
        at: 400,
      },
      'when the cause ended an hour ago': {
        series: { [dueSyncs('fresh')]: '0+9x300 2700+10x200', [dueSyncs('failed')]: '0+1x300 300x200' },
        at: 361,
      },
      'after two failures': {
        series: { [dueSyncs('fresh')]: '0x500', [dueSyncs('failed')]: '0x380 1 2x100' },
        at: 390,
      },
    },
  },
};

function on(pod: string, metric: string, labels = ''): string {
  return `repotide_${metric}{instance="${pod}:3000"${labels}}`;
}

function runs(status: string): string {
  return on('a', 'runs_total', `,handler="repository_sync",trigger="cron",status="${status}"`);
}

function recovered(status: string): string {
  return on('a', 'runs_recovered_total', `,status="${status}"`);
}

function discoveries(status: string): string {
  return on('a', 'discovery_runs_total', `,status="${status}"`);
}

function refusals(host: string): string {
  return on('a', 'host_rate_limited_total', `,host="${host}",budget="requests"`);
}

function age(repository: string): string {
  return on(
    'a',
    'repository_age_seconds',
    `,repository_id="${repository}",project_path="team/${repository}",branch="main"`,
  );
}

function dueSyncs(outcome: string): string {
  return on('a', 'due_syncs_total', `,outcome="${outcome}"`);
}

function breaker(state: string): string {
  return on('a', 'progress_breaker_state', `,state="${state}"`);
}

function process(pod: string): string {
  return `process_start_time_seconds{instance="${pod}:3000"}`;
}

function lags(buckets: Record<string, string>): Series {
  return Object.fromEntries(
    Object.entries(buckets).map(([le, values]) => [
      on('a', 'claim_lag_seconds_bucket', `,le="${le}"`),
      values,
    ]),
  );
}

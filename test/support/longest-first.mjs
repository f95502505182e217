// A fresh clone has no cached times. If a long file started last, the other workers would idle at the end.
import { relative, sep } from 'node:path';
import TestSequencer from '@jest/test-sequencer';

/** Rough seconds on an idle machine. Only their order matters, and only long files are listed. */
export const LONG_FILES = {
  'test/e2e/redis-outage.e2e-spec.ts': 76,
  'test/integration/limits/shared-limit.int-spec.ts': 73,
  'test/e2e/dashboard.e2e-spec.ts': 68,
  'test/integration/postgres/embedded-server.int-spec.ts': 45,
  'test/e2e/serve-schedule.e2e-spec.ts': 44,
  'test/e2e/run-log.e2e-spec.ts': 41,
  'test/e2e/large-repository.e2e-spec.ts': 40,
  'test/integration/indexing/source-faults.int-spec.ts': 40,
  'test/integration/redis/lease-holders.int-spec.ts': 36,
  'test/integration/indexing/fault-matrix/listing.int-spec.ts': 35,
  'test/integration/indexing/fault-matrix/comparison.int-spec.ts': 32,
  'test/integration/indexing/fault-matrix/contents.int-spec.ts': 31,
  'test/e2e/wrong-input.e2e-spec.ts': 30,
  'test/e2e/serve-signals.e2e-spec.ts': 29,
  'test/faults/smoke.e2e-spec.ts': 28,
  'test/integration/redis/dispatch-faults.int-spec.ts': 28,
  'test/integration/redis/lease-faults.int-spec.ts': 26,
  'test/e2e/reindex.e2e-spec.ts': 25,
  'test/integration/indexing/histories/histories.int-spec.ts': 23,
  'test/integration/gitlab/project-listing.int-spec.ts': 23,
  'test/integration/kubernetes/pod-directory-faults.int-spec.ts': 22,
  'test/contracts/redis.int-spec.ts': 22,
  'test/e2e/cli-verify.e2e-spec.ts': 21,
  'test/e2e/three-pods.e2e-spec.ts': 20,
  'test/integration/postgres/advisory-lease.int-spec.ts': 20,
  'test/helm/rendered-environment.int-spec.ts': 19,
  'test/e2e/tracing.e2e-spec.ts': 18,
};
/** Seconds of any other file, by its kind. */
const OTHERS = { 'e2e-spec': 8, 'int-spec': 5 };

/** Jest's own order, longest first, with an estimate for each file without a cached time. */
export default class LongestFirst extends TestSequencer {
  time(test) {
    const path = relative(test.context.config.rootDir, test.path).replaceAll(sep, '/');
    const seconds = LONG_FILES[path] ?? OTHERS[path.split('.').at(-2)] ?? 1;
    return super.time(test) ?? seconds * 1000;
  }
}

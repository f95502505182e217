import fc from 'fast-check';
import { type SyncLimits } from '@core/indexing';
import { type Fault, type FaultEffect, type GitLabStandIn } from '@devkit';

const ALWAYS = 0;
const NEVER = 1_000_000;

/** The configuration of a server, and the fetch strategies of the runs against it. */
export const server = fc.record({
  compare: fc.constantFrom('ok', 'ok', 'short', 'refused'),
  graphql: fc.constantFrom('ok', 'ok', 'too_complex', 'refused'),
  archive: fc.constantFrom('ok', 'ok', 'limited', 'refused'),
  hasKeyset: fc.boolean(),
  treePageSize: fc.constantFrom(100, 5),
  compareFromFiles: fc.constantFrom(ALWAYS, ALWAYS, NEVER),
  archivePrice: fc.constantFrom(-NEVER, NEVER),
  batchFromFiles: fc.constantFrom(1, NEVER),
});
type Server = typeof server extends fc.Arbitrary<infer T> ? T : never;

export function limitsOf({ compareFromFiles, archivePrice, batchFromFiles }: Server): Partial<SyncLimits> {
  return { compareFromFiles, archivePrice, batchFromFiles };
}

const FORBIDDEN: FaultEffect = { kind: 'status', status: 403 };

/** Configures a server; call it again after its faults were cleared. */
export function setUp(gitlab: GitLabStandIn, { compare, graphql, archive, ...tree }: Server): void {
  const { settings, faults } = gitlab;
  settings.keysetSupported = tree.hasKeyset;
  settings.maxTreePageSize = tree.treePageSize;
  settings.diffLimits.maxFiles = compare === 'short' ? 1 : 1000;
  settings.graphql.maxComplexity = graphql === 'too_complex' ? 3 : 250;
  settings.rateLimits.archive = archive === 'limited' ? { requests: 0, periodSeconds: 60 } : null;
  if (compare === 'refused') faults.add({ url: /repository\/compare/, effect: FORBIDDEN });
  if (graphql === 'refused') faults.add({ url: /api\/graphql/, effect: FORBIDDEN });
  if (archive === 'refused') faults.add({ url: /repository\/archive/, effect: FORBIDDEN });
}

const EFFECTS = fc.constantFrom<FaultEffect>(
  { kind: 'status', status: 429, retryAfterSeconds: 3 },
  { kind: 'status', status: 429 },
  { kind: 'status', status: 500 },
  { kind: 'status', status: 502 },
  { kind: 'status', status: 502, body: '<html><body>Bad Gateway</body></html>' },
  { kind: 'status', status: 401 },
  { kind: 'status', status: 403 },
  { kind: 'status', status: 404 },
  // No server listens on this port, so a client that follows fails with a connection error.
  { kind: 'redirect', to: 'http://127.0.0.1:9' },
  { kind: 'status', status: 200, body: '<html><body>Sign in</body></html>' },
  { kind: 'cut' },
  { kind: 'cut', afterBytes: 60 },
  { kind: 'truncate', keepBytes: 0 },
  { kind: 'truncate', keepBytes: 60 },
  { kind: 'truncate', keepBytes: 700 },
  { kind: 'drip', chunkBytes: 50, everyMs: 1 },
);

/** A comparison that claims to be complete but contains no change. */
const silentComparison = fc.constant<Fault>({
  url: /repository\/compare/,
  effect: { kind: 'status', status: 200, body: { diffs: [], compare_timeout: false } },
});

const fault = fc.oneof(
  fc.record({
    url: fc.constantFrom(
      /repository\/branches/,
      /repository\/tree/,
      /repository\/compare/,
      /api\/graphql/,
      /repository\/archive/,
      /repository\/blobs/,
      /api\//,
    ),
    after: fc.nat(3),
    times: fc.constantFrom(1, 2, 8),
    effect: EFFECTS,
  }),
  // Corrupt responses. Listings are excluded, because only the transport protects them.
  fc.record({
    url: fc.constantFrom(
      /repository\/compare/,
      /api\/graphql/,
      /repository\/archive/,
      /repository\/blobs/,
      /repository\/tree.*recursive=false/,
    ),
    after: fc.nat(1),
    times: fc.constantFrom(1, 8),
    effect: fc.constant<FaultEffect>({ kind: 'corrupt' }),
  }),
  silentComparison,
);

/** The faults of one run, often none. */
export const faults = fc.oneof(
  { weight: 2, arbitrary: fc.constant<Fault[]>([]) },
  { weight: 3, arbitrary: fc.array(fault, { minLength: 1, maxLength: 3 }) },
);

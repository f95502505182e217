import fc from 'fast-check';
import { type SyncLimits } from '@core/indexing';
import { type Fault, type FaultEffect, type GitLabStandIn } from '@devkit';

const ALWAYS = 0;
const NEVER = 1_000_000;

/** How a server is set up, and which ways a run therefore takes. */
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

/** The lasting side of a server; call again after its faults were cleared. */
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
  // The port of no server: a request that followed would fail as a broken connection.
  { kind: 'redirect', to: 'http://127.0.0.1:9' },
  { kind: 'status', status: 200, body: '<html><body>Sign in</body></html>' },
  { kind: 'cut' },
  { kind: 'cut', afterBytes: 60 },
  { kind: 'truncate', keepBytes: 0 },
  { kind: 'truncate', keepBytes: 60 },
  { kind: 'truncate', keepBytes: 700 },
  { kind: 'drip', chunkBytes: 50, everyMs: 1 },
);

/** A comparison that claims to be whole and says that nothing has changed. */
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
  // Wrong bytes; a listing is not among them, as nothing but the transport vouches for it.
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

/** What goes wrong during one run: mostly nothing. */
export const faults = fc.oneof(
  { weight: 2, arbitrary: fc.constant<Fault[]>([]) },
  { weight: 3, arbitrary: fc.array(fault, { minLength: 1, maxLength: 3 }) },
);

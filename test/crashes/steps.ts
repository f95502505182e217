import { readdirSync, readFileSync } from 'node:fs';
import ts from 'typescript';

const DOMAIN = new URL('../../libs/core/domain/src/', import.meta.url);

interface PortRules {
  /** Change nothing outside this process. */
  reads: readonly string[];
  /** Change something, but are no step of a run; with the reason. */
  apart?: Readonly<Record<string, string>>;
}

const CALL_OF_THE_API = 'one call of the API or of another command, in one transaction';
const TIMER = 'repeated by a timer; changes a time and counters';

/**
 * The ports whose methods are the steps of a run. A method that is not listed is a step: the matrix kills a process before
 * and after it, and fails when no scenario reaches it.
 */
export const PORTS_OF_RUNS: Readonly<Record<string, PortRules>> = {
  ScheduleStore: {
    reads: ['find', 'list', 'listUpcoming', 'now'],
    apart: { create: CALL_OF_THE_API, update: CALL_OF_THE_API, softDelete: CALL_OF_THE_API },
  },
  ExecutionStore: {
    reads: ['find', 'list', 'listSilent', 'countQueued'],
    apart: {
      heartbeat: TIMER,
      requestCancel: CALL_OF_THE_API,
      revoke: CALL_OF_THE_API,
      abandonQueued: CALL_OF_THE_API,
    },
  },
  LeaseManager: {
    reads: ['holderOf', 'checkHealth', 'list'],
    apart: { close: 'ends connections' },
  },
  Lease: { reads: [] },
  Source: {
    reads: [
      ...[
        'findProject',
        'headOf',
        'openTrees',
        'listTree',
        'listFolder',
        'readBlob',
        'listBranches',
        'usage',
      ],
      ...['compare', 'findBlobs', 'readTexts', 'readArchive', 'readObjects', 'transport'],
    ],
    apart: { close: "removes files of the pod's own disk" },
  },
  Manifest: {
    reads: [
      ...['stateOf', 'listEntries', 'listEntriesIn', 'findFolders', 'findIndexedByBlob', 'findNamed'],
      ...['totalsOf', 'listFiles', 'listFolder', 'of'],
    ],
    apart: { flagSuspect: 'after a lost lease: test/integration/scheduling/late-writes.int-spec.ts' },
  },
  GenerationStore: {
    reads: ['list', 'listUnbuilt', 'progressOf', 'countBehind', 'listOwners'],
    apart: { activate: CALL_OF_THE_API, requestBuild: CALL_OF_THE_API },
  },
  VectorStore: {
    reads: [
      ...['incarnationOf', 'isMadeBeforehand', 'listPoints', 'readFile', 'count', 'tally'],
      ...['otherRepositories', 'search', 'scan', 'checkHealth', 'hasTerms', 'countWithoutTerms'],
    ],
    apart: { fillTerms: 'idempotent, and repeated by a timer; in a repair only when terms were lost' },
  },
  Embedder: { reads: ['identify', 'confirm', 'longestChunk'] },
  EmbeddingCache: {
    reads: ['find'],
    apart: {
      renew: TIMER,
      release: 'for a text that the server refuses; a claim expires by itself',
    },
  },
  RepositoryStore: {
    reads: [
      ...['find', 'findIncludingDeleted', 'list', 'listStalest', 'listUnpurged', 'listSuspect'],
      ...['countLost', 'listDrifted', 'listUnverified', 'verificationState'],
    ],
    apart: { create: CALL_OF_THE_API, update: CALL_OF_THE_API, softDelete: CALL_OF_THE_API },
  },
  DiscoveryStore: {
    reads: ['find', 'list', 'findRun', 'listRuns', 'listKnown', 'listRetirable'],
    apart: {
      create: CALL_OF_THE_API,
      update: CALL_OF_THE_API,
      softDelete: CALL_OF_THE_API,
      enqueue: CALL_OF_THE_API,
      heartbeat: TIMER,
      handBack: 'part of an orderly stop: test/integration/discovery/claims.int-spec.ts',
    },
  },
};

/** Ports without a step, and why. */
export const OTHER_PORTS: Readonly<Record<string, string>> = {
  BudgetStore: 'reads',
  Clock: 'reads',
  CodeRights: 'reads',
  ContentPreparer: 'computes',
  Embedders: 'makes embedders',
  Hints: 'a lost hint costs a poll interval',
  HostLimiter: 'slots of a dead process expire',
  LeaderElection: 'chores are safe with two leaders',
  Logger: 'log lines',
  ModelRegistry: 'remembers what a server answered; a lost answer is asked for again',
  PodDirectory: 'reads',
  ProgressStore: 'display only',
  Reranker: 'computes',
  RequestLimits: 'counts the calls of the API',
  SourceFactory: 'opens sources',
};

/** The steps by port, in the order of the code. */
export function stepsByPort(): Record<string, string[]> {
  const methods = portMethods();
  const entries = Object.entries(PORTS_OF_RUNS).map(([port, { reads, apart = {} }]) => {
    const known = new Set([...reads, ...Object.keys(apart)]);
    return [port, (methods.get(port) ?? []).filter((method) => !known.has(method))] as const;
  });
  return Object.fromEntries(entries);
}

/** Names in {@link PORTS_OF_RUNS} and {@link OTHER_PORTS} that the code does not have, and ports that they lack. */
export function misplacedPorts(): string[] {
  const methods = portMethods();
  const known = new Set([...Object.keys(PORTS_OF_RUNS), ...Object.keys(OTHER_PORTS)]);
  const wrong = [...methods.keys()].filter((port) => !known.has(port) && !NOT_PORTS.has(port));
  for (const port of known) if (!methods.has(port)) wrong.push(port);
  for (const [port, { reads, apart = {} }] of Object.entries(PORTS_OF_RUNS))
    for (const method of [...reads, ...Object.keys(apart)])
      if (methods.get(port)?.includes(method) === false) wrong.push(`${port}.${method}`);
  return wrong;
}

/** `ManifestStore` extends `Manifest`, whose rules hold for both. */
const NOT_PORTS = new Set(['ManifestStore']);
/** The interfaces among the ports. */
const INTERFACES = new Set(['Lease', 'Source']);

let found: Map<string, string[]> | undefined;

/** The methods of each port: the abstract classes of the domain, and two interfaces. */
function portMethods(): Map<string, string[]> {
  if (found) return found;
  found = new Map();
  for (const file of readdirSync(DOMAIN).filter((name) => name.endsWith('.ts'))) {
    const text = readFileSync(new URL(file, DOMAIN), 'utf8');
    ts.createSourceFile(file, text, ts.ScriptTarget.Latest).forEachChild((node) => {
      const isPort =
        (ts.isClassDeclaration(node) &&
          node.modifiers?.some(({ kind }) => kind === ts.SyntaxKind.AbstractKeyword)) ||
        (ts.isInterfaceDeclaration(node) && INTERFACES.has(node.name.text));
      if (isPort) found!.set(node.name!.text, methodsOf(node));
    });
  }
  found.get('Manifest')!.push(...found.get('ManifestStore')!);
  return found;
}

function methodsOf({ members }: ts.ClassDeclaration | ts.InterfaceDeclaration): string[] {
  return [...members]
    .filter((member) => ts.isMethodDeclaration(member) || ts.isMethodSignature(member))
    .map((member) => (member.name as ts.Identifier).text);
}

import { join } from 'node:path';
import { realFiles } from './first-sync/input.js';
import { type Case, type Measured, Setting } from './first-sync/measure.js';
import { atLeast, type Benchmark, median, type Table } from './run/report.js';

const WARM_UP_FILES = 300;
const WAYS = {
  limit: 'bare loop',
  langchain: 'LangChain index()',
  git: 'Repotide, git',
  rest: 'Repotide, REST',
};
const STORES = { embedded: 'Postgres', qdrant: 'Qdrant double' };
const CASES: Case[] = (['embedded', 'qdrant'] as const).flatMap((store) =>
  (['limit', 'langchain', 'git', 'rest'] as const).map((way) => ({ store, way })),
);
const FILES = 2400;
/** Milliseconds that the embedding server needs for a batch, and how often each way is measured with it. */
const DELAYS = [
  { delay: 0, rounds: 3 },
  { delay: 20, rounds: 1 },
];

type Found = Case & Measured & { delay: number };

export const firstSync: Benchmark = {
  title: 'First sync',
  explains:
    'The first sync of a repository of real source files by the delivered service, beside its limit and a rival in the same run. The limit is a bare loop that reads the same blobs from the same server, splits, posts the same batches and stores them, and does nothing else: no manifest, no secret scan, no cache, no check of an answer. The rival is LangChain’s `index()` with its records in memory, over a checkout that is already on the local disk.',
  limits:
    'CPU. The thread that scans for secrets, splits and computes the terms of the lexical lane takes about a third of it, the event loop another (vectors, the manifest, the rows of the cache), V8’s collections of garbage and compilation the rest. Through the REST API requests also wait for each other.',
  async run({ isQuick, directory, progress }) {
    const input = await realFiles(join(directory, 'input'), isQuick ? FILES / 5 : FILES, WARM_UP_FILES);
    const warmUp = await realFiles(join(directory, 'warm-up'), WARM_UP_FILES);
    const found: Found[] = [];
    for (const { delay, rounds } of isQuick ? [{ delay: 0, rounds: 1 }] : DELAYS) {
      const setting = new Setting({ input, warmUp, delayMs: delay, directory });
      for (let round = 1; round <= rounds; round++) {
        for (const one of CASES) {
          progress(
            `${WAYS[one.way]}, ${STORES[one.store]}, ${delay} ms a batch, round ${round} of ${rounds}`,
          );
          found.push({ ...one, delay, ...(await setting.measure(one)) });
        }
      }
    }
    const shares = (way: Case['way'], store: Case['store']) => shareOfLimit(found, { way, store, delay: 0 });
    return {
      input: `${input.files.toLocaleString('en')} real source files of ${(input.bytes / 1e6).toFixed(1)} MB`,
      tables: [...new Set(found.map(({ delay }) => delay))].map((delay) => tableOf(found, delay)),
      goals: [
        atLeast('share of the limit through git, Qdrant', 0.85, shares('git', 'qdrant')),
        atLeast('share of the limit through git, Postgres', 0.85, shares('git', 'embedded')),
        atLeast('speed beside LangChain, Qdrant', 1, shares('git', 'qdrant') / shares('langchain', 'qdrant')),
      ],
    };
  },
};

function tableOf(found: readonly Found[], delay: number): Table {
  const rows = CASES.map(({ store, way }) => {
    const runs = runsOf(found, { store, way, delay });
    const middle = (field: keyof Measured) => median(runs.map((run) => run[field]));
    const cpu = ((middle('cpuSeconds') + middle('postgresSeconds')) / middle('chunks')) * 1000;
    return [
      ...[
        WAYS[way],
        STORES[store],
        runs.map(({ seconds }) => seconds),
        shareOfLimit(found, { store, way, delay }),
      ],
      ...[middle('files') / middle('seconds'), middle('chunks') / middle('seconds'), cpu],
      ...[middle('peakMiB'), middle('requests')],
    ];
  });
  return {
    title: `Embedding server that needs ${delay} ms a batch`,
    columns: [
      ...[{ title: 'way' }, { title: 'store' }, { title: 'seconds', digits: 1 }],
      ...[{ title: 'of the limit', digits: 2 }, { title: 'files/s' }, { title: 'chunks/s' }],
      ...[{ title: 'CPU s per 1,000 chunks', digits: 2 }, { title: 'memory, MiB' }, { title: 'requests' }],
    ],
    rows,
    plot: { labels: [0, 1], value: 4 },
  };
}

type Chosen = Case & { delay: number };

function runsOf(found: readonly Found[], { store, way, delay }: Chosen): Found[] {
  return found.filter((run) => run.store === store && run.way === way && run.delay === delay);
}

/** 1: as fast as the bare loop of the same run. */
function shareOfLimit(found: readonly Found[], chosen: Chosen): number {
  const secondsOf = (way: Case['way']) =>
    median(runsOf(found, { ...chosen, way }).map(({ seconds }) => seconds));
  return secondsOf('limit') / secondsOf(chosen.way);
}

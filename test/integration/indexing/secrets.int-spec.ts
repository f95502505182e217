import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { type SyncRequest } from '@core/indexing';
import { plantedSecrets, type PlantedSecret } from '../../support/planted-secrets.js';
import { storedTexts } from '../../support/stored-texts.js';
import {
  createSyncWorld,
  findDifferences,
  NO_DIFFERENCES,
  sourceText,
  type SyncWorld,
} from '../../support/sync-world.js';
import { VECTOR_STORES, type VectorStoreKind } from '../../support/vector-stores.js';

const PLANTED = plantedSecrets(20_261_121);
/** Excluded by name. */
const SECRET_FILES = ['.env', 'tls/server.key'];

let world: SyncWorld;
let vectors: VectorStoreKind;
afterEach(() => world.stop());

async function start(secretsPolicy: SyncRequest['secretsPolicy']): Promise<void> {
  world = await createSyncWorld({
    vectors,
    secretsPolicy,
    repository: { chunkSize: 2000, chunkOverlap: 100 },
  });
  for (const { path, text } of PLANTED) world.git.write(path, text);
  world.git.write('src/harmless.ts', sourceText('harmless', 20));
  await world.git.commit();
  expect(await world.sync()).toMatchObject({ status: 'completed', filesFailed: 0 });
}

/** The kinds of secrets with a fragment in the database, or in a payload of the vector store. */
async function leaked(): Promise<string[]> {
  const payloads = (await world.wholePoints()).map(({ payload }) => JSON.stringify(payload));
  const stored = `${await storedTexts(world.database)}\n${payloads.join('\n')}`;
  return PLANTED.filter((planted) => piecesOf(planted).some((piece) => stored.includes(piece))).map(
    ({ kind }) => kind,
  );
}

function piecesOf({ secret }: PlantedSecret): string[] {
  return secret.split(/\s+|\\n/).filter((piece) => piece.length >= 8 && !piece.includes('-----'));
}

describe.each(VECTOR_STORES)('secrets in files, with vectors in the %s store', (store) => {
  beforeEach(() => {
    vectors = store;
  });

  it('are not stored anywhere; only their positions are', async () => {
    await start('redact');
    expect(await leaked()).toEqual([]);
    expect(await findDifferences(world)).toEqual(NO_DIFFERENCES);
    const rows = new Map((await world.entries()).map((row) => [row.path, row]));
    for (const { path, kind } of PLANTED) {
      const row = rows.get(path)!;
      if (SECRET_FILES.includes(path)) expect([kind, row.skipReason]).toEqual([kind, 'secret']);
      else expect([kind, row.secretsFound, row.indexedAt !== null]).toEqual([kind, 1, true]);
    }
    expect(rows.get('src/gitlab.py')?.secretDetail).toBe('gitlab-token line 2');
    expect(rows.get('src/harmless.ts')).toMatchObject({ secretsFound: 0, secretDetail: null });
  });

  it('exclude their files when the policy requires it', async () => {
    await start('skip');
    expect(await leaked()).toEqual([]);
    const indexed = (await world.entries()).filter((row) => row.indexedAt !== null);
    expect(indexed.map(({ path }) => path)).toEqual(['src/harmless.ts']);
    const rows = new Map((await world.entries()).map((row) => [row.path, row]));
    expect(rows.get('src/gitlab.py')).toMatchObject({
      skipReason: 'secret',
      skipDetail: 'gitlab-token line 2',
      secretsFound: 1,
    });
  });

  it('are removed from the index when the scan is switched on, without a new commit', async () => {
    await start('off');
    expect(await leaked()).toHaveLength(PLANTED.length);
    world.setSecretsPolicy('redact');
    const run = await world.sync();
    expect(run).toMatchObject({ status: 'completed', filesFailed: 0 });
    expect(await leaked()).toEqual([]);
    expect(await findDifferences(world)).toEqual(NO_DIFFERENCES);
    // The text of the file without secrets is unchanged, so its vectors are reused.
    expect(run.embeddingsReused).toBeGreaterThan(0);
    expect(await world.sync()).toMatchObject({ sourceRequests: 1, filesProcessed: 0 });
    world.setSecretsPolicy('skip');
    await world.sync();
    expect((await world.points()).map(({ path }) => path)).toEqual(['src/harmless.ts']);
  });

  it('stay excluded when their file is renamed, even to a name that does not suggest secrets', async () => {
    await start('redact');
    world.git.rename('src/gitlab.py', 'lib/client.py');
    world.git.rename('tls/server.key', 'notes.txt');
    await world.git.commit();
    await world.sync();
    expect(await leaked()).toEqual([]);
    const rows = new Map((await world.entries()).map((row) => [row.path, row]));
    expect(rows.get('lib/client.py')).toMatchObject({ secretsFound: 1, secretDetail: 'gitlab-token line 2' });
    expect(rows.get('notes.txt')).toMatchObject({ secretsFound: 1, skipReason: null });
  });
});

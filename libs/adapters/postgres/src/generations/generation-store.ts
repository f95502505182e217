import {
  RepotideError,
  type GenerationChoice,
  type GenerationStore,
  type IndexGeneration,
} from '@core/domain';
import { uuidOrNull } from '../sql/rows.js';
import { type Database, type Queryable } from '../sql/database.js';
import { listUnbuilt } from './builders.js';
import { expire, forget } from './expire.js';
import { adoptCollection, listOwners } from './owners.js';
import { countBehind, progressOf } from './progress.js';
import { findGeneration, listGenerations, lockCollection } from './rows.js';
import { isKeptBack } from './search-gates.js';

/** The generations of indexes, in Postgres. Every change of a collection's generations holds the collection's lock. */
export function createGenerationStore(db: Database): GenerationStore {
  return {
    open: async (collectionName, choose, known) =>
      (await useExisting(db, choose(known ?? (await listGenerations(db, [collectionName]))))) ??
      db.transaction(async (tx) => {
        await lockCollection(tx, collectionName);
        const choice = choose(await listGenerations(tx, [collectionName]));
        return obey(tx, collectionName, choice);
      }),
    async requestBuild(generationId) {
      await db.query(
        `UPDATE index_generations SET requested_at = clock_timestamp() WHERE id = $1 AND status = 'building'`,
        [uuidOrNull(generationId)],
      );
    },
    listUnbuilt: (silentAfterSeconds) => listUnbuilt(db, silentAfterSeconds),
    list: (collectionNames) => listGenerations(db, collectionNames),
    progressOf: (generation, visible = null) => progressOf(db, generation, visible),
    countBehind: (generationId, than) => countBehind(db, generationId, than),
    activateIfComplete: (generationId) =>
      db.transaction(async (tx) => {
        const generation = await lockGeneration(tx, generationId);
        if (generation?.status !== 'building') return false;
        if (!(await progressOf(tx, generation, null)).isComplete) return false;
        if (await isKeptBack(tx, generation)) return false;
        await switchTo(tx, generation);
        return true;
      }),
    activate: (generationId) =>
      db.transaction(async (tx) => {
        const generation = await lockGeneration(tx, generationId);
        if (!generation || generation.status === 'dropped') return refuseDropped(generationId);
        if (generation.status !== 'active') await switchTo(tx, generation);
        return (await findGeneration(tx, generationId))!;
      }),
    adoptCollection: (generationId, incarnation, options = {}) =>
      adoptCollection(db, generationId, incarnation, options),
    listOwners: (collectionName) => listOwners(db, collectionName),
    listExpired: (keepHours) => expire(db, keepHours),
    forget: (generationId) => forget(db, generationId),
  };
}

async function lockGeneration(tx: Queryable, generationId: string): Promise<IndexGeneration | null> {
  const found = await findGeneration(tx, generationId);
  if (!found) return null;
  await lockCollection(tx, found.collectionName);
  return findGeneration(tx, generationId);
}

/**
 * Uses no lock: most runs use an existing generation and must not wait for each other. Null when one must be
 * made.
 */
async function useExisting(db: Queryable, choice: GenerationChoice): Promise<IndexGeneration | null> {
  if (choice.kind !== 'use') return null;
  const { generation } = choice;
  return generation.status === 'active' || (await keepAlive(db, generation)) ? generation : null;
}

/** Marks a generation as used; a rebuild that no run works on expires. @returns false when it has expired. */
function keepAlive(db: Queryable, { id }: IndexGeneration): Promise<boolean> {
  return db.has(
    `UPDATE index_generations SET used_at = clock_timestamp() WHERE id = $1 AND status <> 'dropped' RETURNING id`,
    [id],
  );
}

async function obey(
  tx: Queryable,
  collectionName: string,
  choice: GenerationChoice,
): Promise<IndexGeneration> {
  if (choice.kind === 'use') return choice.generation;
  if (choice.kind === 'make') return insert(tx, collectionName, choice);
  if (choice.kind === 'adopt') return adopt(tx, choice.generation);
  await tx.query(
    `UPDATE index_generations SET status = 'dropped' WHERE collection_name = $1 AND status = 'building'`,
    [collectionName],
  );
  const rebuilt = await tx.first<IndexGeneration>(
    `UPDATE index_generations SET status = 'building', used_at = clock_timestamp(), requested_at = clock_timestamp(), retired_at = NULL
      WHERE id = (SELECT id FROM index_generations
        WHERE collection_name = $1 AND status = 'retired' AND model_id = $2 AND dimensions = $3
        ORDER BY retired_at DESC LIMIT 1)
      RETURNING *`,
    [collectionName, choice.model.modelId, choice.model.dimensions],
  );
  return rebuilt ?? insert(tx, collectionName, { model: choice.model, status: 'building' });
}

/** The collection's name becomes the physical one, unless a run has filled the generation in the meantime. */
async function adopt(tx: Queryable, generation: IndexGeneration): Promise<IndexGeneration> {
  const adopted = await tx.first<IndexGeneration>(
    'UPDATE index_generations SET physical_name = collection_name WHERE id = $1 AND incarnation IS NULL RETURNING *',
    [generation.id],
  );
  return adopted ?? generation;
}

/**
 * The physical name contains the start of the row's id: it is unique and shows which row it belongs to. It is the
 * collection's own name for one that was made beforehand.
 */
function insert(
  tx: Queryable,
  collectionName: string,
  { model, status, isMadeBeforehand = false }: Omit<Extract<GenerationChoice, { kind: 'make' }>, 'kind'>,
): Promise<IndexGeneration> {
  const { modelId, dimensions, modelServer } = model;
  return tx.one(
    `INSERT INTO index_generations
        (id, collection_name, physical_name, model_id, dimensions, model_server, status, activated_at)
      SELECT id, $1, CASE WHEN $6 THEN $1 ELSE $1 || '--' || left(id::text, 8) END, $2, $3, $4, $5::text,
        CASE WHEN $5::text = 'active' THEN clock_timestamp() END
      FROM gen_random_uuid() AS id RETURNING *`,
    [collectionName, modelId, dimensions, modelServer, status, isMadeBeforehand],
  );
}

/** One transaction, so that exactly one generation is active at any time. */
async function switchTo(tx: Queryable, { id, collectionName }: IndexGeneration): Promise<void> {
  // Waits for pointers that are being advanced; later ones see the switch. So neither side shows a repository
  // at a commit that the other has just replaced. Locked before the repositories, in the same order as a run.
  await tx.query('LOCK TABLE repository_indexes IN SHARE MODE');
  await tx.query(
    `UPDATE index_generations SET status = 'retired', retired_at = clock_timestamp()
      WHERE collection_name = $1 AND status = 'active'`,
    [collectionName],
  );
  await tx.query(
    `UPDATE index_generations SET status = 'active', activated_at = clock_timestamp(), retired_at = NULL
      WHERE id = $1`,
    [id],
  );
  // Locked in the order of ids, as claims do, so that they cannot deadlock. Deleted repositories are skipped:
  // their purge locks the repository before the table above.
  await tx.query(
    `SELECT 1 FROM repositories WHERE collection_name = $1 AND deleted_at IS NULL
      ORDER BY id FOR NO KEY UPDATE`,
    [collectionName],
  );
  await tx.query(
    `UPDATE repositories r SET last_synced_commit = (SELECT i.last_synced_commit FROM repository_indexes i
        WHERE i.repository_id = r.id AND i.generation_id = $2)
      WHERE r.collection_name = $1 AND r.deleted_at IS NULL`,
    [collectionName, uuidOrNull(id)],
  );
}

function refuseDropped(generationId: string): never {
  const message = `The generation ${generationId} does not exist: it was dropped or never created. GET /api/v1/collections lists what there is.`;
  const details = { generation_id: generationId };
  throw new RepotideError('conflict', 'generation_dropped', message, { details });
}

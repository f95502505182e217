import { type z } from 'zod';
import { count, flag, instant, list, shown, uuid } from '../http/fields.js';
import { listOf, model } from '../http/model.js';

export const ActivateDto = model('ActivateDto', {
  force: flag('Also when it lacks repositories, or files that searches find now.').default(false),
});
export type ActivateDto = z.output<typeof ActivateDto>;

/** An `index_generations` row. */
export const GenerationDto = model('GenerationDto', {
  id: uuid('Id of the generation.'),
  physical_name: shown('Its name in the vector store.', 'repotide--0b0f1c9e'),
  model_id: shown('The model and vector length of all its vectors.', 'text-embedding-3-small@1536'),
  dimensions: count('Length of its vectors.', 1536),
  created_at: instant('When its build began.'),
  activated_at: instant('When searches last began to use it.').nullable(),
});

const CHUNK_SIZE = {
  chunk_size: count(
    'Length of its chunks in characters, for repositories without a chunk_size: CHUNK_SIZE, or less where the model embeds ' +
      'only shorter texts whole. Null: this pod cannot use the model.',
    7000,
  ).nullable(),
};

export const ActiveDto = model('ActiveDto', {
  ...GenerationDto.shape,
  ...CHUNK_SIZE,
  points_without_terms: count(
    'Points that searches find by meaning alone; they get their terms in the background. Null: the vector store does not answer.',
    0,
  ).nullable(),
});

export const BuildingDto = model('BuildingDto', {
  ...GenerationDto.shape,
  ...CHUNK_SIZE,
  repositories_done: count('Repositories with a completed sync into it.'),
  repositories_total: count('Repositories that the active generation holds.'),
  files_failed: count(
    'Files that the active generation holds and this one failed on; they delay the switch.',
    0,
  ),
});

export const RetiredDto = model('RetiredDto', {
  ...GenerationDto.shape,
  retired_at: instant('When another generation replaced it.'),
  drop_at: instant('Until when it is kept for a roll-back.'),
});

/** A collection: the active generation, the one that is being built, and retired ones that allow a roll-back. */
export const CollectionDto = model('CollectionDto', {
  name: shown('Its name; in Qdrant an alias of the active generation.', 'repotide'),
  active: ActiveDto.describe('The generation that searches use.').nullable(),
  building: BuildingDto.describe('The generation that is built for another model; null: none.').nullable(),
  retired: list(RetiredDto, 'Formerly active generations, the latest first.'),
});
export const CollectionListDto = listOf(CollectionDto);

export const ReindexStartedDto = model('ReindexStartedDto', {
  collection: CollectionDto,
  queued: count('Syncs that were queued, one for each repository.'),
  busy: count('Repositories with a running or queued run; their next sync is for the new index.', 0),
});

export const RolledBackDto = model('RolledBackDto', {
  collection: CollectionDto,
  repositories_behind: count(
    'Repositories of which the index now in use holds another commit, or none. Their next syncs bring it up to date, if ' +
      'its model can be reached.',
    0,
  ),
});

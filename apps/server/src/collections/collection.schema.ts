import {
  count,
  decimal,
  flag,
  instant,
  list,
  share,
  shown,
  text,
  trimmedText,
  uuid,
} from '../http/fields.js';
import { listOf, model } from '../http/model.js';

export const ActivateDto = model('ActivateDto', {
  force: flag('Also when it lacks repositories, or files that searches find now.').default(false),
});

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

const GateVerdictDto = model('GateVerdictDto', {
  is_passed: flag('Whether it answers the questions well enough.', true),
  questions: count('Questions of the gate.', 40),
  active_ndcg: decimal('nDCG@10 of the index that searches use.', 0.81),
  building_ndcg: decimal('nDCG@10 of this one.', 0.83),
  judged_at: instant('When they were compared.'),
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
  gate: GateVerdictDto.nullable().meta({
    description:
      'How it answered the questions of the gate; null: no gate, not judged yet, or the caller has a scope.',
  }),
});

export const RetiredDto = model('RetiredDto', {
  ...GenerationDto.shape,
  retired_at: instant('When another generation replaced it.'),
  drop_at: instant('Until when it is kept for a roll-back.'),
});

const GateQuestionDto = model('GateQuestionDto', {
  question: trimmedText(8000, 'A query.', { maxLength: 8000, example: 'where is the lease renewed' }),
  expected: text(4096, 'Where its answer is: a path, or `path:line`.', { example: 'src/lease.ts:40' }),
  repository: text(
    1024,
    'Search only this repository: full path of a project, `<path>@<branch>`, or an id.',
    { example: 'group/project' },
  ).optional(),
});

export const PutSearchGateDto = model('PutSearchGateDto', {
  questions: list(GateQuestionDto, 'The questions that both indexes answer.', { min: 1, max: 500 }),
  max_loss: share('By how much nDCG@10 may fall.').default(0),
});

export const SearchGateDto = model('SearchGateDto', {
  questions: list(GateQuestionDto, 'The questions that both indexes answer.'),
  max_loss: decimal('By how much nDCG@10 may fall.', 0),
  updated_by: shown('Who changed it last.', 'ci').nullable(),
  updated_at: instant('When it was changed last.'),
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

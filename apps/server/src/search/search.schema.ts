import { type z } from 'zod';
import { count, decimal, flag, list, shown, text, trimmedText, uuid, wholeNumber } from '../http/fields.js';
import { listOf, model } from '../http/model.js';

const MAX_REPOSITORIES = 100;
const DEFAULT_LIMIT = 10;
// The largest limit that every vector store must support.
const MAX_LIMIT = 100;

export const SearchRequestDto = model('SearchRequestDto', {
  query: trimmedText(8000, 'The question, in words or in code.', {
    maxLength: 8000,
    example: 'where is the lease renewed',
  }),
  repository_ids: list(
    uuid('Id of a repository.', { example: undefined, description: undefined }),
    'Search only these repositories; unknown ones find nothing. Default: all.',
    { min: 1, max: MAX_REPOSITORIES },
  ).optional(),
  path_prefix: text(4096, 'Search only this folder and below, or this file.', {
    example: 'src/app',
  }).optional(),
  language: text(64, 'Search only this language.', { example: 'typescript' }).optional(),
  all_branches: flag(
    'Also show identical text at the same path in another branch of the project. Default: only one of equal hits.',
    { default: false },
  ).optional(),
  limit: wholeNumber(1, MAX_LIMIT, 'How many hits to answer.').default(DEFAULT_LIMIT),
});
export type SearchRequestDto = z.output<typeof SearchRequestDto>;

export const SearchHitDto = model('SearchHitDto', {
  repository_id: uuid('The repository of the hit.'),
  project_path: shown('Full path of its project.', 'group/project'),
  branch: shown('Its branch.', 'main'),
  path: shown('The file.', 'src/lease.ts'),
  start_line: count('First line, from 1.', 10),
  end_line: count('Last line.', 42),
  language: shown('Language of the file.', 'typescript').nullable(),
  commit: shown('The commit at which the text was read.', '8f2c1e0d9b7a6c5d4e3f2a1b0c9d8e7f6a5b4c3d'),
  score: decimal('Cosine similarity, -1 to 1.', 0.62),
  text: shown('The text of the chunk.', 'export class Lease {'),
});
export const SearchHitListDto = listOf(SearchHitDto);

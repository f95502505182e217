import { type NewRepository } from '@core/domain';

/** A valid id that no row has. */
export const UNKNOWN_ID = '0b0f1c9e-5f0e-4a55-8f0e-3a2f6f1d7c11';

let projects = 0;

/** Valid data of a repository with its own project; a test overrides single fields. */
export function newRepository(changes: Partial<NewRepository> = {}): NewRepository {
  projects += 1;
  return {
    provider: 'gitlab',
    baseUrl: 'https://gitlab.example.com',
    projectId: projects,
    projectPath: `group/project-${projects}`,
    branch: 'main',
    collectionName: 'repotide',
    includeGlobs: [],
    excludeGlobs: [],
    maxFileBytes: 1_048_576,
    chunkSize: 7000,
    chunkOverlap: 1500,
    credentialId: null,
    ...changes,
  };
}

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  createSyncWorld,
  findDifferences,
  NO_DIFFERENCES,
  type SyncWorld,
} from '../../support/sync-world.js';

const FILES = 10_000;
const FILES_PER_FOLDER = 1_000;
const pathOf = (number: number) => `src/part${Math.floor(number / FILES_PER_FOLDER)}/file${number}.ts`;
/** Two chunks of 400 characters. */
function textOf(number: number, last = 'end'): string {
  const line = (word: string) => `export const ${word}${number} = '${word} of file ${number}';\n`;
  return [...Array.from({ length: 9 }, (_, index) => line(`value${index}`)), line(last)].join('');
}

describe(`a repository of ${FILES} files`, () => {
  let world: SyncWorld;
  beforeAll(async () => {
    world = await createSyncWorld();
    for (let number = 0; number < FILES; number++) world.git.write(pathOf(number), textOf(number));
    await world.git.commit();
  });
  afterAll(() => world.stop());

  it('is read for the first time in at most 120 requests', async () => {
    const run = await world.sync();
    expect(run).toMatchObject({ status: 'completed', filesAdded: FILES, filesFailed: 0 });
    expect(run.fetchStrategy).toBe('head 1, tree 101, archive 1');
    expect(run.sourceRequests).toBe(103);
    expect(world.gitlab.requests).toHaveLength(103);
    expect(await findDifferences(world)).toEqual(NO_DIFFERENCES);
  }, 240_000);

  it('costs one request while nothing changes', async () => {
    const run = await world.sync();
    expect(run).toMatchObject({ status: 'completed', sourceRequests: 1, embeddingsRequested: 0 });
    expect(run.fetchStrategy).toBe('head 1');
    expect(world.gitlab.requests).toHaveLength(1);
  });

  it('costs at most 15 requests and the changed chunks when 10 files are edited', async () => {
    for (let index = 0; index < 10; index++) {
      const number = index * FILES_PER_FOLDER + index;
      world.git.write(pathOf(number), textOf(number, 'changed'));
    }
    await world.git.commit();
    const run = await world.sync();
    expect(run).toMatchObject({ status: 'completed', filesProcessed: 10, filesModified: 10 });
    expect(run.fetchStrategy).toBe('head 1, compare 1, graphql 2, tree 1');
    expect(run.sourceRequests).toBe(5);
    // The last chunk of each file; the one before is as it was.
    expect(run.embeddingsRequested).toBe(10);
    expect(run.embeddingsReused).toBe(10);
    expect(await findDifferences(world)).toEqual(NO_DIFFERENCES);
  });

  it('embeds nothing when a folder of 1,000 files is renamed', async () => {
    world.git.rename('src/part3', 'src/renamed/part3');
    await world.git.commit();
    const run = await world.sync();
    expect(run).toMatchObject({
      status: 'completed',
      filesRenamed: FILES_PER_FOLDER,
      filesDeleted: 0,
      embeddingsRequested: 0,
    });
    expect(run.fetchStrategy).toBe('head 1, compare 1, graphql 10, tree 1');
    expect(await findDifferences(world)).toEqual(NO_DIFFERENCES);
  });
});

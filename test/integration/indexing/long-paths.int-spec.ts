import { afterEach, describe, expect, it } from '@jest/globals';
import {
  createSyncWorld,
  findDifferences,
  NO_DIFFERENCES,
  sourceText,
  type SyncWorld,
} from '../../support/sync-world.js';
import { VECTOR_STORES } from '../../support/vector-stores.js';

/** The longest path that Linux opens: 4,096 bytes including the final zero, with names of at most 255 bytes. */
const LONGEST_PATH_BYTES = 4095;

let world: SyncWorld;
afterEach(() => world.stop());

/** Random names, which a server cannot compress, with one-byte and multi-byte letters. */
function longPath(seed: number, end: string): string {
  let path = '';
  for (let state = seed; Buffer.byteLength(path) < LONGEST_PATH_BYTES - 260; path += '/') {
    for (let index = 0; index < 100; index++) {
      state = (state * 48_271) % 2_147_483_647;
      path += index % 3 === 0 ? String.fromCodePoint(0x4e00 + (state % 20_000)) : (state % 36).toString(36);
    }
  }
  return path + 'n'.repeat(LONGEST_PATH_BYTES - Buffer.byteLength(path + end)) + end;
}

describe.each(VECTOR_STORES)('files of the longest paths that Linux opens, vectors in %s', (vectors) => {
  it('are indexed, changed, renamed, excluded and removed like any other', async () => {
    world = await createSyncWorld({ vectors });
    const [first, second] = [longPath(11, '/first.ts'), longPath(12, '/second.ts')];
    expect([first, second].map((path) => Buffer.byteLength(path))).toEqual([4095, 4095]);
    world.git.writeAll({ 'a.ts': sourceText('a', 3), [first]: sourceText('first', 30), 'z.md': '# End\n' });
    await world.git.commit();
    expect(await world.sync()).toMatchObject({ status: 'completed', filesAdded: 3, filesFailed: 0 });
    expect(await findDifferences(world)).toEqual(NO_DIFFERENCES);

    world.git.write(first, sourceText('changed', 20));
    await world.git.commit();
    expect(await world.sync()).toMatchObject({ status: 'completed', filesModified: 1 });
    expect(await findDifferences(world)).toEqual(NO_DIFFERENCES);

    world.git.rename(first, second);
    world.git.write(longPath(13, '/picture.png'), Uint8Array.of(0, 1, 2, 3));
    await world.git.commit();
    const renamed = await world.sync();
    expect(renamed).toMatchObject({ status: 'completed', filesRenamed: 1, filesSkipped: 1 });
    expect(await findDifferences(world)).toEqual(NO_DIFFERENCES);
    expect(await world.run('verify')).toMatchObject({ status: 'completed' });

    world.git.delete(second);
    await world.git.commit();
    expect(await world.sync({ fullSync: true })).toMatchObject({ status: 'completed', filesDeleted: 1 });
    expect(await findDifferences(world)).toEqual(NO_DIFFERENCES);
  });
});

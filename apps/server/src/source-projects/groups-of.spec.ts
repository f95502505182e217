import { describe, expect, it } from '@jest/globals';
import { groupsOf } from './groups-of.js';

describe('the groups of projects', () => {
  it('are all groups on the way to them, with the projects of their subgroups', () => {
    expect(groupsOf(['team/b/api', 'team/web', 'other/x', 'team/b/db'])).toEqual([
      { groupPath: 'other', projectCount: 1 },
      { groupPath: 'team', projectCount: 3 },
      { groupPath: 'team/b', projectCount: 2 },
    ]);
  });
});

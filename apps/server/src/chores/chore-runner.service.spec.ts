import { beforeEach, describe, expect, it } from '@jest/globals';
import { type ModuleRef } from '@nestjs/core';
import { SoleLeader } from '@adapters/memory';
import { RepotideError } from '@core/domain';
import { loadConfig } from '@platform/config';
import { recordingLogger } from '../../../../test/support/recording-logger.js';
import { type Chore } from './chore.js';
import { ChoreRunner } from './chore-runner.service.js';

const calls: string[] = [];

class Failing implements Chore {
  readonly name = 'failing';
  run(): Promise<void> {
    calls.push('failing');
    throw new RepotideError('temporary', 'database_unreachable', 'no connection');
  }
}
class Working implements Chore {
  readonly name = 'working';
  async run(): Promise<void> {
    calls.push('working');
  }
  standBy(): void {
    calls.push('stand-by');
  }
}

function setUp() {
  const logger = recordingLogger();
  const leader = new SoleLeader('pod-a');
  const modules = { get: (type: new () => Chore) => new type() } as unknown as ModuleRef;
  return { logger, leader, runner: new ChoreRunner(modules, loadConfig({}), logger, leader) };
}

describe('the chore runner', () => {
  beforeEach(() => {
    calls.length = 0;
  });

  it('runs the chores in order on the leader; a failed one is logged and does not stop the others', async () => {
    const { runner, logger } = setUp();
    await runner.run([Failing, Working]);
    await runner.run([Failing, Working]);
    expect(calls).toEqual(['failing', 'working', 'failing', 'working']);
    expect(logger.lines).toEqual(Array(2).fill(expect.stringMatching(/database_unreachable.*chore failed/)));
  });

  it('runs no chore while another pod leads, and calls standBy instead', async () => {
    const { runner, leader } = setUp();
    await leader.stepDown();
    await runner.run([Failing, Working]);
    expect(calls).toEqual(['stand-by']);
  });

  it('gives up the leadership and runs no more chores once the process stops', async () => {
    const { runner, leader } = setUp();
    runner.onModuleDestroy();
    await runner.beforeApplicationShutdown();
    expect(leader.isLeader()).toBe(false);
    await runner.run([Failing]);
    expect(calls).toEqual([]);
  });
});

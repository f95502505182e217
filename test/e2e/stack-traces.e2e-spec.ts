import { expect, it } from '@jest/globals';
import { runCommand } from '../support/command-line.js';

/** Prints where the program opens its first connection, and ends it. */
const PROBE = `
  import { Socket } from 'node:net';
  Socket.prototype.connect = () => { process.stderr.write(new Error('first connection').stack); process.exit(3); };`;

it('a stack trace of the bundle names the line of our source, and the file of a package', async () => {
  const command = runCommand(['serve'], {
    DATABASE_URL: 'postgres://user@127.0.0.1:9/none',
    NODE_OPTIONS: `--stack-trace-limit=100 --import data:text/javascript;base64,${Buffer.from(PROBE).toString('base64')}`,
  });
  expect(await command.ended).toBe(3);
  expect(command.stderr()).toMatch(/\/libs\/adapters\/postgres\/src\/migrations\/schema\.ts:\d{2,}:\d+\)/);
  expect(command.stderr()).toMatch(/\/apps\/server\/src\/process\/serve\.ts:\d{2,}:\d+\)/);
  expect(command.stderr()).toMatch(/\/node_modules\/@nestjs\/core\/nest-factory\.js:/);
});

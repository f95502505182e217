// ES modules, TypeScript through swc; run with NODE_OPTIONS=--experimental-vm-modules.
import { availableParallelism } from 'node:os';

// Tests send requests to this machine only, also where a proxy is set.
process.env.no_proxy = 'localhost,127.0.0.1,[::1]';

export default {
  testEnvironment: 'node',
  testMatch: ['<rootDir>/{apps,libs,test}/**/*.{spec,int-spec,e2e-spec}.ts'],
  extensionsToTreatAsEsm: ['.ts'],
  // Only a test that hangs may reach it; no test depends on speed.
  testTimeout: 300_000,
  // Tests often expect several rejections one after the other: only those that nobody handles are failures.
  waitForUnhandledRejections: true,
  testSequencer: '<rootDir>/test/support/longest-first.mjs',
  // Half of the time is waiting: for other processes, for leases, for limits.
  // A number: Jest takes '200%' for 200 workers.
  maxWorkers: availableParallelism() * 2,
  // Node 20 never frees ES modules of an ended test file. A full heap doubles the time of the last files.
  workerIdleMemoryLimit: '500MB',
  globalSetup: '<rootDir>/test/support/global-setup.mjs',
  globalTeardown: '<rootDir>/test/support/global-teardown.mjs',
  moduleNameMapper: {
    '^@(core|adapters|platform)/([^/]+)$': '<rootDir>/libs/$1/$2/src/index.ts',
    '^@devkit$': '<rootDir>/libs/devkit/src/index.ts',
    '^(\\.{1,2}/.*)\\.js$': '$1',
  },
  modulePathIgnorePatterns: ['<rootDir>/dist/'],
  transform: {
    '^.+\\.ts$': [
      '@swc/jest',
      {
        jsc: {
          parser: { syntax: 'typescript', decorators: true },
          transform: { legacyDecorator: true, decoratorMetadata: true },
          target: 'es2022',
        },
        module: { type: 'es6' },
      },
    ],
  },
};

import { availableParallelism } from 'node:os';

/** @type {import('jest').Config} */
export default {
  roots: ['<rootDir>'],
  testMatch: ['**/*.test.ts'],
  // What searches at random is no check: `npm run search`.
  testPathIgnorePatterns: [process.env.LIVES ? [] : '<rootDir>/lives/', process.env.MODEL_STEPS ? [] : '<rootDir>/model/'].flat(),
  extensionsToTreatAsEsm: ['.ts', '.tsx'],
  runtime: '<rootDir>/harness/native-runtime.cjs',
  testEnvironment: '<rootDir>/harness/native-environment.cjs',
  transform: {},
  setupFiles: ['reflect-metadata', '<rootDir>/harness/quick-hashes.cjs'],
  setupFilesAfterEnv: ['<rootDir>/harness/refuse-outside.cjs', '<rootDir>/harness/closing.ts'],
  globalSetup: '<rootDir>/../dist/tests/test/harness/global-setup.js',
  globalTeardown: '<rootDir>/harness/global-teardown.js',
  reporters: ['default', '<rootDir>/harness/closing-reporter.js'],
  // A test that hangs ends, but none ends because the machine is slow: with much else to do it takes ten times as long as alone.
  testTimeout: 600_000,
  // Half of the time goes by waiting, for browsers, other processes and clocks. (Jest takes no share above 100%, but that many workers.)
  maxWorkers: availableParallelism() * 2,
};

import { unitTests } from './harness/unit-tests.js';
import everything from './jest.config.js';

// A unit test calls nobody, this machine included: `harness/refuse-outside.cjs` fails one that does.
process.env.MAY_CALL_PORTS = 'none';

const { globalSetup, globalTeardown, maxWorkers, ...shared } = everything;

/** `npm run test:unit`: the tests that need no database, no build, and no browser. @type {import('jest').Config} */
export default { ...shared, testMatch: unitTests() };

/**
 * Node 20 cannot read TypeScript itself, so jest is told what loads this file:
 * @jest-config-loader esbuild-register
 */
import { availableParallelism } from 'node:os';
import type { Config } from 'jest';

type Project = Exclude<NonNullable<Config['projects']>[number], string>;

export const shared: Project = {
  roots: ['<rootDir>/src', '<rootDir>/test'],
  testEnvironment: 'node',
  extensionsToTreatAsEsm: ['.ts'],
  transform: {
    '\\.ts$': ['@swc/jest', { jsc: { target: 'es2023', parser: { syntax: 'typescript' } }, module: { type: 'es6' } }],
  },
  // The package by its own name means the sources, as in tsconfig.json: a test run must not depend on a build.
  moduleNameMapper: {
    '^koa-mongo-resource$': '<rootDir>/src/index.ts',
    '^koa-mongo-resource/audit$': '<rootDir>/src/products/audit/audit-collection.ts',
    '^koa-mongo-resource/mcp$': '<rootDir>/src/products/mcp/mcp.ts',
    '^koa-mongo-resource/(react-admin|refine)$': '<rootDir>/src/products/admin/$1.ts',
    '^koa-mongo-resource/middleware/([^/]+)$': '<rootDir>/src/middleware/$1.ts',
  },
};

/** The folders whose tests speak to MongoDB; every other folder under test/ runs without a server. */
const withDatabase = '(feature|mongo|store|products|middleware|resource|examples)';

/** Not here: their browser is not on every machine. See `jest.browser.config.ts`. */
const withBrowser = '(browser)';

/**
 * Not here either: they take minutes, or install projects. See `jest.faults.config.ts`, `jest.package.config.ts` and
 * `jest.clients.config.ts`.
 */
const apart = '(faults|package|clients)';

/** A file called `.slow.test.ts` takes longer than three seconds: `npm run test:slow`. */
const quick = '(?<!\\.slow)\\.test\\.ts$';

export const workers = {
  // Most tests wait for mongod or for a child process: as many workers as cores would leave some of them idle.
  maxWorkers: availableParallelism() + 1,
  // A worker keeps the ES modules of every file that it has run, and collects garbage among them. A new one is cheaper
  // soon: 250 MB cost about a tenth less CPU time than 600 MB.
  workerIdleMemoryLimit: '250MB',
} as const;

const config: Config = {
  ...workers,
  testTimeout: 120_000, // a net for hung tests on slow machines; no test asserts a time
  maxConcurrency: 3,
  projects: [
    {
      ...shared,
      displayName: 'unit',
      testRegex: [`/test/(?!${withDatabase}/|${withBrowser}/|${apart}/).*${quick}`],
    },
    {
      ...shared,
      displayName: 'database',
      testRegex: [`/test/${withDatabase}/.*${quick}`],
      globalSetup: '<rootDir>/test/support/database/start-database.ts',
      globalTeardown: '<rootDir>/test/support/database/stop-database.ts',
    },
  ],
};

export default config;

/**
 * `npm run test:clients`: the clients that generators make of the documents of all examples, and the programs of
 * docs/clients that use them. Apart, because it installs the generators.
 *
 * @jest-config-loader esbuild-register
 */
import type { Config } from 'jest';
import { shared } from './jest.config.ts';

const config: Config = {
  ...shared,
  displayName: 'clients',
  testTimeout: 120_000,
  extensionsToTreatAsEsm: ['.ts', '.tsx'],
  transform: {
    ...(shared.transform as object),
    '\\.tsx$': [
      '@swc/jest',
      {
        jsc: { target: 'es2023', parser: { syntax: 'typescript', tsx: true }, transform: { react: { runtime: 'automatic' } } },
        module: { type: 'es6' },
      },
    ],
  },
  testRegex: ['/test/clients/.*\\.test\\.ts$'],
  globalSetup: '<rootDir>/test/clients/start.ts',
  globalTeardown: '<rootDir>/test/support/database/stop-database.ts',
};

export default config;

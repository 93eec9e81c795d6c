/**
 * `npm run test:faults`: what becomes of writes, places and connections when databases, networks, clients and servers
 * fail. Apart, because these tests start and kill servers of their own; `FAULT_ROUNDS=20 npm run test:faults` plays
 * longer.
 *
 * @jest-config-loader esbuild-register
 */
import type { Config } from 'jest';
import { shared, workers } from './jest.config.ts';

const config: Config = {
  ...shared,
  ...workers,
  displayName: 'faults',
  testTimeout: 600_000 * Number(process.env.FAULT_ROUNDS ?? 1), // a net for hung tests; no test asserts a time
  maxWorkers: 3, // most of their time they wait for timeouts and elections
  testRegex: ['/test/faults/.*\\.test\\.ts$'],
};

export default config;

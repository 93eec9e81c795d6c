/**
 * What Stryker runs for one file; `run.ts` names the tests.
 *
 * @jest-config-loader esbuild-register
 */
import type { Config } from 'jest';
import { shared } from '../../jest.config.ts';

const config: Config = { ...shared, rootDir: '../..', setupFiles: ['<rootDir>/dev/mutation/fix-seed.ts'], watchman: false };

export default config;

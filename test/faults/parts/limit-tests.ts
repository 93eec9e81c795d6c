import { limitTests } from '../../support/jest/limits.ts';

limitTests(600_000 * Number(process.env.FAULT_ROUNDS ?? 1));

import { limitTests } from '../../support/jest/limits.ts';

limitTests(600_000);

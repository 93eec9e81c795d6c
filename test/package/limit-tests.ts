import { limitTests } from '../support/jest/limits.ts';

limitTests(300_000);

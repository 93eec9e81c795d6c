import { rounds } from '../../support/fuzzing/rounds.ts';
import { limitTests } from '../../support/jest/limits.ts';

limitTests(600_000 * rounds);

import { describeMatrix } from '../support/matrix/describe-matrix.ts';
import { wayNames } from '../support/matrix/ways.ts';

describe('whose callers see all fields', () => describeMatrix(wayNames));
describe('whose callers see a part of them', () => describeMatrix(wayNames, { seesAll: false }));

import { describeMatrix } from '../support/matrix/describe-matrix.ts';

describeMatrix(['api.fetch']);

import { Decimal128, Double, Int32, Long, ObjectId } from 'mongodb';
import { digestOfId } from '../../../src/model/value/digest-of-id.ts';

const decimal = (text: string) => Decimal128.fromString(text);

describe('the digest of an id', () => {
  it.each([
    ['5', [5, 5n, new Double(5), new Int32(5), Long.fromNumber(5), decimal('5'), decimal('5.00'), decimal('0.5E1')]],
    ['0', [0, -0, 0n, decimal('0'), decimal('-0.0')]],
    ['2.5', [2.5, new Double(2.5), decimal('2.5'), decimal('2.50')]],
    ['-1000', [-1000, -1000n, decimal('-1E+3')]],
    ['2^60', [2 ** 60, 2n ** 60n, decimal(String(2n ** 60n))]],
    ['2^53 + 1', [2n ** 53n + 1n, decimal('9007199254740993')]],
  ])('is the same for %s, whatever type of number it is', (_name, ids) => {
    expect(new Set(ids.map((id) => digestOfId('Thing', id))).size).toBe(1);
  });

  it('is another one for another number, another type and another owner', () => {
    const ids = [5, 6, 2.5, decimal('0.1'), 0.1, decimal('NaN'), decimal('Infinity'), '5', new ObjectId('0123456789abcdef01234567'), null];
    const digests = ids.flatMap((id) => [digestOfId('Thing', id), digestOfId('Other', id)]);
    expect(new Set(digests).size).toBe(2 * ids.length);
  });
});

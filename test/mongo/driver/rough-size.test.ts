import fc from 'fast-check';
import { Binary, BSON, Decimal128, Long, ObjectId } from 'mongodb';
import { roomAfter } from '../../../src/mongo/driver/rough-size.ts';
import { cases } from '../../support/fuzzing/fuzz.ts';

const room = 10_000_000;

describe('roomAfter()', () => {
  it('takes at least what the value has as BSON', () => {
    const leaves = [
      fc.string({ unit: 'binary' }),
      fc.double(),
      fc.boolean(),
      fc.constantFrom(null, new ObjectId(), new Date(), Long.fromNumber(1), Decimal128.fromString('1.5'), 7n),
      fc.uint8Array().map((bytes) => new Binary(bytes)),
    ];
    const { value } = fc.letrec((tie) => ({
      value: fc.oneof(
        ...leaves,
        fc.array(tie('value'), { maxLength: 20 }),
        fc.dictionary(fc.string(), tie('value')),
        fc.dictionary(fc.string(), tie('value')).map((one) => new Map(Object.entries(one))),
      ),
    }));
    const isStorable = (key: string) => !key.includes('\0');
    fc.assert(
      fc.property(fc.dictionary(fc.string().filter(isStorable), value), (document) => {
        let bytes: number;
        try {
          bytes = BSON.calculateObjectSize(document);
        } catch {
          return;
        }
        expect(room - roomAfter(document, room)).toBeGreaterThanOrEqual(bytes);
      }),
      cases(1_000),
    );
  });

  it('is negative for what takes more, and for what cannot be measured', () => {
    const circle: Record<string, unknown> = {};
    circle.circle = circle;
    const broken = Object.defineProperty({}, 'x', {
      enumerable: true,
      get() {
        throw new Error('broken');
      },
    });
    expect([{ text: 'x'.repeat(100) }, circle, broken].map((value) => roomAfter(value, 100) < 0)).toEqual([true, true, true]);
    expect(roomAfter({ text: 'x' }, 100)).toBeGreaterThan(0);
  });
});

import { ConfigurationError } from '../src/errors.ts';
import {
  aFunction,
  anArrayOf,
  aString,
  aWholeNumber,
  byDefault,
  checkNames,
  checkOptions,
  checkValue,
  defaultOf,
  fillIn,
  findMistakes,
  type LegalOptions,
  oneOf,
  orUndefined,
  pickOptions,
  readOptions,
  refuseMisspelt,
  required,
  trueOrFalse,
} from '../src/options.ts';

interface Options {
  readonly name: string;
  readonly size?: number;
  readonly mode?: string;
  readonly run?: unknown;
}

const legal: LegalOptions<Options> = {
  name: required(aString),
  size: aWholeNumber(1, 9),
  mode: orUndefined(oneOf('a', 'b')),
  run: aFunction,
};
const mistakes = (options: unknown) => findMistakes(options, legal, '`make`');

describe('findMistakes', () => {
  it('finds none where all is right', () => {
    expect(mistakes({ name: 'x' })).toEqual([]);
    expect(mistakes({ name: 'x', size: 9, mode: undefined, run: () => 1 })).toEqual([]);
  });

  it('finds all of them', () => {
    expect(mistakes({ nam: 'x', size: 0, mode: 'c', run: undefined })).toEqual([
      '`nam` is not an option of `make`; did you mean `name`? Allowed: name, size, mode, run.',
      '`size` of `make` must be a whole number from 1 to 9, or be left out.',
      '`mode` of `make` must be one of a, b, or be left out.',
      '`run` of `make` must be a function, or be left out.',
    ]);
  });

  it('does not report a required option as missing if it is misspelt', () => {
    expect(mistakes({ nam: 'x' })).toHaveLength(1);
    expect(mistakes({ title: 'x' })).toEqual([
      '`title` is not an option of `make`. Allowed: name, size, mode, run.',
      '`name` of `make` must be a string that is not empty.',
    ]);
  });

  it.each([undefined, null, 'x', 5, [], () => 1])('asks for an object in place of %o', (options) => {
    expect(mistakes(options)).toEqual(['The options of `make` must be an object of name, size, mode, run.']);
  });
});

describe('a mistake', () => {
  it('is a ConfigurationError, and several are one with all of them', () => {
    expect(() => checkOptions({ name: '', size: 10 } as Options, legal, '`make`')).toThrow(
      new ConfigurationError(
        '2 mistakes:\n- `name` of `make` must be a string that is not empty.\n- `size` of `make` must be a whole number from 1 to 9, or be left out.',
      ),
    );
    expect(() => checkNames('field', ['nmae', 'name', 'x'], ['name'], 'Note')).toThrow(
      new ConfigurationError(
        '2 mistakes:\n- `nmae` is not a field of Note; did you mean `name`? Allowed: name.\n- `x` is not a field of Note. Allowed: name.',
      ),
    );
    expect(() => checkValue('`maxTimeMS`', 0, aWholeNumber(1))).toThrow(
      new ConfigurationError('`maxTimeMS` must be a whole number of at least 1.'),
    );
    expect(() => checkOptions({ name: 'x' }, legal, '`make`')).not.toThrow();
  });
});

describe('readOptions', () => {
  const read = (options: object, ...names: (keyof Options)[]) => readOptions(options as Options, names, legal, '`make`');

  it('returns the options, and looks at no others than those that are named', () => {
    const options = { name: 'x', size: 0 };
    expect(read(options, 'name', 'mode')).toBe(options);
  });

  it('refuses what is illegal, missing, or misspelt', () => {
    expect(() => read({ size: 0 }, 'size')).toThrow('`size` of `make` must be a whole number from 1 to 9, or be left out.');
    expect(() => read({ x: 1 }, 'name')).toThrow('`name` of `make` must be a string that is not empty.');
    expect(() => read({ nam: 'x' }, 'name')).toThrow('`nam` is not an option of `make`; did you mean `name`?');
    expect(() => read({ name: 'x', sise: 1 }, 'size')).toThrow('`sise` is not an option of `make`; did you mean `size`?');
  });
});

describe('refuseMisspelt', () => {
  it('refuses an option that is meant for an absent one', () => {
    const refuse = (options: object) => refuseMisspelt('name', options, Object.keys(legal), '`make`');
    expect(() => refuse({ nam: 'x' })).toThrow('`nam` is not an option of `make`; did you mean `name`?');
    for (const options of [{}, { sise: 1 }, { name: 'x', nam: 'x' }]) expect(() => refuse(options)).not.toThrow();
  });
});

describe('what is legal', () => {
  it.each([
    [aWholeNumber(1), [1, 2 ** 53 - 1], [0, 1.5, 2 ** 53, '1', Number.NaN], 'a whole number of at least 1'],
    [aWholeNumber(0, 9, ' of bytes'), [0, 9], [-1, 10], 'a whole number of bytes from 0 to 9'],
    [aWholeNumber(1, undefined, ' of bytes'), [1], [0], 'a whole number of bytes, at least 1'],
    [trueOrFalse, [true, false], [0, 'true', undefined], 'true or false'],
    [aString, ['a'], ['', 5], 'a string that is not empty'],
    [oneOf('a', 5), ['a', 5], ['5', undefined], 'one of a, 5'],
    [anArrayOf('names'), [[], ['a']], ['a', undefined], 'an array of names'],
    [anArrayOf('functions', aFunction[0]), [[() => 1]], [[() => 1, 1]], 'an array of functions'],
  ])('is %o', ([isLegal, words], right, wrong, expected) => {
    expect([...right].filter((value) => !isLegal(value))).toEqual([]);
    expect([...wrong].filter(isLegal)).toEqual([]);
    expect(words).toBe(expected);
  });
});

describe('byDefault', () => {
  const size = byDefault(5, aWholeNumber(1, 9));
  const table = { size, name: required(aString) };

  it('has what is legal, and a default', () => {
    expect(defaultOf(size)).toBe(5);
    expect(findMistakes({ size: 0 }, { size }, '`make`')).toEqual(['`size` of `make` must be a whole number from 1 to 9, or be left out.']);
  });

  it('fills in what was left out, and what is undefined', () => {
    expect(checkOptions({ name: 'x' } as { name: string; size?: number }, table, '`make`')).toEqual({ name: 'x', size: 5 });
    expect(fillIn({ size: undefined, name: 'x' }, table)).toEqual({ size: 5, name: 'x' });
    expect(fillIn({ size: 7, name: 'x', other: 1 }, table)).toEqual({ size: 7, name: 'x', other: 1 });
  });

  it('takes what an object inherits, and does not change it', () => {
    class Given {
      get size(): number {
        return 3;
      }
    }
    const given = new Given();
    expect(fillIn(given, { size, other: byDefault(1, aWholeNumber(0)) })).toEqual({ size: 3, other: 1 });
    expect(Object.keys(given)).toEqual([]);
  });
});

describe('pickOptions', () => {
  const table = { size: byDefault(5, aWholeNumber(1, 9)), count: byDefault(1, aWholeNumber(1)) };

  it('takes those of a table, and no others', () => {
    const given: { size?: number; count?: number; name: string } = { count: 2, name: 'x' };
    expect(pickOptions(given, table)).toEqual({ size: 5, count: 2 });
  });

  it('refuses all that are not legal, null among them', () => {
    expect(() => pickOptions({ size: null, count: 0 }, table)).toThrow(
      expect.objectContaining({
        errors: [
          new ConfigurationError('`size` must be a whole number from 1 to 9.'),
          new ConfigurationError('`count` must be a whole number of at least 1.'),
        ],
      }),
    );
  });
});

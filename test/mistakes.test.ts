import { inspect } from 'node:util';
import { ConfigurationError } from '../src/errors.ts';
import { about, once, refuse, tryAll } from '../src/mistakes.ts';

const mistake = (message: string) => () => {
  throw new ConfigurationError(message);
};

/** What a call throws; fails if it throws nothing. */
function errorOf(call: () => unknown): ConfigurationError {
  try {
    call();
  } catch (error) {
    return error as ConfigurationError;
  }
  throw new Error('nothing was thrown');
}

describe('refuse', () => {
  it('throws messages as mistakes, in the same form as tryAll', () => {
    expect(() => refuse([])).not.toThrow();
    expect('errors' in errorOf(() => refuse(['a']))).toBe(false);
    const several = errorOf(() => refuse(['a', 'b']));
    expect(several.message).toBe('2 mistakes:\n- a\n- b');
    expect(several.errors?.map(({ message }) => message)).toEqual(['a', 'b']);
    expect(errorOf(() => tryAll([() => refuse(['a', 'b']), mistake('b')])).message).toBe(several.message);
  });
});

describe('tryAll', () => {
  it('returns the results of its parts in order', () => {
    expect(tryAll([() => 1, () => 'two', () => undefined])).toEqual([1, 'two', undefined]);
    expect(tryAll([])).toEqual([]);
  });

  it('throws one mistake as it is', () => {
    const only = new ConfigurationError('`a` is wrong.');
    const error = errorOf(() =>
      tryAll([
        () => 1,
        () => {
          throw only;
        },
      ]),
    );
    expect(error).toBe(only);
    expect('errors' in error).toBe(false);
  });

  it('throws several as one error, which lists each on its own line', () => {
    const error = errorOf(() => tryAll([mistake('`a` is wrong.'), () => 1, mistake('`b` is wrong.')]));
    expect(error).toBeInstanceOf(ConfigurationError);
    expect(error.message).toBe('2 mistakes:\n- `a` is wrong.\n- `b` is wrong.');
    expect(error.errors?.map(({ message }) => message)).toEqual(['`a` is wrong.', '`b` is wrong.']);
  });

  it('throws an error that Node prints with one stack', () => {
    const printed = inspect(errorOf(() => tryAll([mistake('a'), mistake('b')])));
    expect(printed).toMatch(/^ConfigurationError: 2 mistakes:\n- a\n- b\n {4}at /);
    expect(printed).toMatch(/\[errors\]: \[ \[ConfigurationError: a\], \[ConfigurationError: b\] \]/);
  });

  it('is flat, however parts are nested', () => {
    const error = errorOf(() => tryAll([() => tryAll([mistake('a'), mistake('b')]), mistake('c')]));
    expect(error.message).toBe('3 mistakes:\n- a\n- b\n- c');
  });

  it('reports equal messages once', () => {
    expect(errorOf(() => tryAll([mistake('a'), mistake('a')])).message).toBe('a');
  });

  it('lets every other error pass at once', () => {
    const foreign = new TypeError('a bug');
    let later = false;
    const parts = [
      mistake('a'),
      () => {
        throw foreign;
      },
      () => {
        later = true;
      },
    ];
    expect(errorOf(() => tryAll(parts))).toBe(foreign);
    expect(later).toBe(false);
  });
});

describe('once', () => {
  it('runs a part when it is asked for, and never again', () => {
    let runs = 0;
    const part = once(() => ++runs);
    expect(runs).toBe(0);
    expect([part(), part()]).toEqual([1, 1]);
  });

  it('throws the same error again, so that a part that depends on another reports nothing of its own', () => {
    let runs = 0;
    const first = once((): number => {
      runs++;
      throw new ConfigurationError('`a` is wrong.');
    });
    const error = errorOf(() => tryAll([first, () => first() + 1]));
    expect(error.message).toBe('`a` is wrong.');
    expect(runs).toBe(1);
  });
});

describe('about', () => {
  it('returns the result', () => {
    expect(about('model `Order`', () => 5)).toBe(5);
  });

  it.each([
    ['`a` is wrong.', 'Model `Order`: `a` is wrong.'],
    ['`a` of model `Order` is wrong.', '`a` of model `Order` is wrong.'],
    ['Model `Other`: `a` is wrong.', 'Model `Other`: `a` is wrong.'],
    ['`a` of resource `orders` is wrong.', '`a` of resource `orders` is wrong.'],
  ])('names the subject where the message names none: %s', (message, named) => {
    expect(errorOf(() => about('model `Order`', mistake(message))).message).toBe(named);
  });

  it('names it in each of several, and keeps their causes', () => {
    const cause = new Error('why');
    const withCause = () => {
      throw new ConfigurationError('b', { cause });
    };
    const error = errorOf(() => about('resource `orders`', () => tryAll([mistake('a'), withCause])));
    expect(error.message).toBe('2 mistakes:\n- Resource `orders`: a\n- Resource `orders`: b');
    expect(error.errors?.map((one) => one.cause)).toEqual([undefined, cause]);
  });

  it('lets every other error pass', () => {
    const foreign = new TypeError('a bug');
    const part = () => {
      throw foreign;
    };
    expect(errorOf(() => about('model `Order`', part))).toBe(foreign);
  });
});

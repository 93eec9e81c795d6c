import { maxErrors, QueryErrors } from '../../src/http/query-errors.ts';
import { type FieldError, Invalid } from '../../src/rules.ts';

const error = (field: string) => new Invalid('unknown_parameter', 'is not a parameter').at(field);

describe('QueryErrors', () => {
  it('throw nothing where there are none', () => {
    expect(() => new QueryErrors().throwIfAny()).not.toThrow();
  });

  it('are thrown together', () => {
    const errors = new QueryErrors();
    errors.push(error('a'));
    errors.push(error('b'));
    expect(() => errors.throwIfAny()).toThrow(expect.objectContaining({ code: 'invalid_query', errors: [error('a'), error('b')] }));
  });

  it('are thrown as soon as there are twenty', () => {
    expect(maxErrors).toBe(20);
    const errors = new QueryErrors();
    const all = Array.from({ length: 20 }, (_, index) => error(`x${index}`));
    for (const one of all.slice(1)) errors.push(one);
    expect(() => errors.push(all[0] as FieldError)).toThrow(expect.objectContaining({ errors: [...all.slice(1), all[0]] }));
  });
});

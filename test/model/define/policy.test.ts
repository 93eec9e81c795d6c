import { ConfigurationError } from '../../../src/errors.ts';
import { checkPolicy } from '../../../src/model/compile/check-policy.ts';

describe('a policy', () => {
  it.each([
    {},
    { insert: true, update: false, sort: true, filter: true },
    { filter: [] },
    { filter: ['eq', 'ne', 'in', 'nin', 'gt', 'gte', 'lt', 'lte', 'exists', 'prefix'] },
    { private: true, insert: true, update: true },
    { private: true, sort: false },
    { private: false, sort: true, filter: true },
    { private: true, read: false },
    { private: false, read: ['staff', 'finance'] },
  ])('may be %j', (policy) => {
    expect(checkPolicy(policy, 'name')).toEqual(policy);
  });

  it.each<[unknown, string]>([
    [true, '`policy` of field `name` must be an object.'],
    [null, '`policy` of field `name` must be an object.'],
    [[], '`policy` of field `name` must be an object.'],
    [{ priavte: true }, '`policy.priavte` of field `name` is not a policy option; did you mean `private`?'],
    [
      { x: true },
      '`policy.x` of field `name` is not a policy option. Allowed: read, insert, update, private, filter, sort, aggregate, group, near.',
    ],
    [
      { insert: 1 },
      '`policy.insert` of field `name` must be true, false, the name of a rule or an array of such names: letters, digits, `-` and `_`.',
    ],
    [
      { read: [] },
      '`policy.read` of field `name` must be true, false, the name of a rule or an array of such names: letters, digits, `-` and `_`.',
    ],
    [
      { update: 'a b' },
      '`policy.update` of field `name` must be true, false, the name of a rule or an array of such names: letters, digits, `-` and `_`.',
    ],
    [
      { read: ['staff', 'a b'] },
      '`policy.read` of field `name` must be true, false, the name of a rule or an array of such names: letters, digits, `-` and `_`.',
    ],
    [{ private: true, read: 'staff' }, '`policy` of field `name`: `private: true` means `read: false`. Say only one of them.'],
    [{ read: false, sort: true }, 'Field `name` is private: `policy.sort` would show its values. Leave that out.'],
    [{ sort: undefined }, '`policy.sort` of field `name` must be true or false.'],
    [{ filter: false }, '`policy.filter` of field `name` must be true or an array of operators.'],
    [{ filter: 'eq' }, '`policy.filter` of field `name` must be true or an array of operators.'],
    [
      { filter: ['eq', 'like'] },
      '`policy.filter` of field `name` names the unknown operator `like`. Allowed: eq, ne, in, nin, gt, gte, lt, lte, exists, prefix, contains.',
    ],
    [{ private: true, sort: true }, 'Field `name` is private: `policy.sort` would show its values. Leave that out.'],
    [{ private: true, filter: true }, 'Field `name` is private: `policy.filter` would show its values. Leave that out.'],
    [
      { private: true, aggregate: ['sum'], group: true },
      'Field `name` is private: `policy.aggregate` and `policy.group` would show its values. Leave that out.',
    ],
    [{ aggregate: 'sum' }, '`policy.aggregate` of field `name` must be true or an array of figures.'],
    [
      { aggregate: ['median'] },
      '`policy.aggregate` of field `name` names the unknown figure `median`. Allowed: sum, avg, min, max, countDistinct.',
    ],
    [{ group: 'yes' }, '`policy.group` of field `name` must be true or false.'],
  ])('cannot be %j', (policy, message) => {
    expect(() => checkPolicy(policy, 'name')).toThrow(new ConfigurationError(message));
  });
});

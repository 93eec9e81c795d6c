import { inspect } from 'node:util';
import { describe, expect, it } from 'vitest';
import { defineModel, service, t } from '../../src/index.ts';
import type { ServedResource } from '../../src/resource/serve-resource.ts';
import { useDatabase } from '../support/database/database.ts';

// A chain of a standard operation is made by its first request. A mistake that showed only then would be a 500 for a
// client, and not an api that does not start: every option is given every odd value.

const database = useDatabase();
const shop = service<string>({ authenticate: ({ req }) => req.headers.authorization });
const nothing = () => true;
const odd: readonly unknown[] = [
  ...[undefined, null, true, false, '', 'x', 'list', '__proto__', '30d', 0, -1, 0.5, 1, 7, Number.NaN, 2 ** 31, 2 ** 53, 1n, Symbol('s')],
  ...[nothing, class {}, new Date(0), /x/, new Map(), [], {}, Object.create(null), new Proxy({}, {})],
];
const names = [
  'get',
  'list',
  'create',
  'patch',
  'restore',
  'deleteMany',
  'read',
  'write',
  'change',
  'update',
  'guards',
  'max',
  'fields',
  'keepFor',
];
const values = odd.flatMap((one) => [one, [one], [nothing, one], ...names.map((name) => ({ [name]: one }))]);

const modelOptions = {
  collection: 'docs',
  fields: { text: t.string({ policy: { filter: true, sort: true } }), count: t.int(), revision: t.revision(), deletedAt: t.deletedAt() },
};
const ops = ['list', 'get', 'create', 'patch', 'put', 'delete', 'restore', 'patchMany', 'deleteMany'];
const resourceOptions = {
  model: defineModel('Doc', modelOptions),
  ops,
  scope: () => ({ text: 'x' }),
  scopeFields: ['text'],
  guards: [nothing],
};

interface Given {
  readonly model?: object;
  readonly resource?: object;
  readonly api?: object;
}

/** The api with these options, or the message that refuses them. */
function make({ model, resource, api }: Given) {
  try {
    const own = model && { model: defineModel('Doc', { ...modelOptions, ...model } as never) };
    const docs = shop.resource({ ...resourceOptions, ...own, ...resource } as never);
    return shop.api({ db: database.db, resources: [docs], ...api } as never) as unknown as Made;
  } catch (error) {
    return (error as Error).message;
  }
}

interface Made {
  readonly description: { readonly resources: readonly ServedResource[] };
}

/** The options that a definition has, as its message about an unknown one names them. */
function optionsOf(level: keyof Given): readonly string[] {
  const [, list] = /Allowed: ([^.]*)\./.exec(String(make({ [level]: { qqqqqqqq: 1 } }))) ?? [];
  return list?.split(', ') ?? [];
}

describe.each<[keyof Given, least: number]>([
  ['model', 8],
  ['resource', 30],
  ['api', 40],
])('the options of a %s', (level, least) => {
  it('let every chain be made if an api was made of them', () => {
    expect(make({})).toBeTypeOf('object');
    const options = optionsOf(level);
    expect(options.length).toBeGreaterThanOrEqual(least);
    const told = { made: 0, refused: 0 };
    const broken: string[] = [];
    for (const option of options)
      for (const value of values) {
        const made = make({ [level]: { [option]: value } });
        told[typeof made === 'string' ? 'refused' : 'made']++;
        if (typeof made !== 'string') broken.push(...mistakesOf(made).map((mistake) => `${option}: ${inspect(value)}: ${mistake}`));
      }
    expect(broken).toEqual([]);
    expect(Math.min(told.made, told.refused)).toBeGreaterThan(20);
  });
});

/** What only shows when the chains are made. */
function mistakesOf({ description }: Made): string[] {
  return description.resources.flatMap(({ served, chainOf, keptChainOf }) =>
    served.flatMap(({ name }) => {
      try {
        return [...chainOf(name), ...keptChainOf(name)].length > 0 ? [] : [`${name} has no chain`];
      } catch (error) {
        return [`${name}: ${error}`];
      }
    }),
  );
}

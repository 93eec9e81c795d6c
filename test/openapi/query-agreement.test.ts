import { type Context, cursorPaging, defineModel, listQuery, openapiDocument, Problem, service, t } from '../../src/index.ts';
import { db } from './fixtures.ts';
import { compileSchema } from './published.ts';

const sortable = { policy: { sort: true } } as const;
const Note = defineModel('Note', {
  collection: 'notes',
  fields: {
    text: t.string({ policy: { filter: true, sort: true } }),
    place: t.enum(['Rome', 'Washington, D.C.'], { policy: { filter: true } }),
    mood: t.nullable(t.enum(['good, better', 'best'], { policy: { filter: true } })),
    rank: t.int(sortable),
    at: t.createdAt(sortable),
  },
});
const Short = defineModel('Short', { collection: 'shorts', fields: { text: t.string(sortable) } });
const Wide = defineModel('Wide', {
  collection: 'wide',
  fields: Object.fromEntries(Array.from({ length: 9 }, (_, index) => [`f${index}`, t.int(sortable)])),
});

const models: Readonly<Record<string, unknown>> = { Note, Short, Wide };

const shop = service();
const document = openapiDocument(shop.api({ db, resources: [Note, Short, Wide].map((model) => shop.resource({ model: model as never })) }));

/** Whether the published schema of a list's parameter fits a value, and whether the code takes the text of it. */
async function judge(model: typeof Note, name: string, value: unknown): Promise<{ fits: boolean; taken: boolean }> {
  const operation = (document.paths[`/${model.collection}`] as { get: { parameters: { name: string; schema: object }[] } }).get;
  const fits = compileSchema(document, operation.parameters.find((one) => one.name === name)?.schema);
  const texts = [value].flat();
  const query = new URLSearchParams(
    (name.endsWith('[]') ? texts : [texts.join(',')]).map((text): [string, string] => [name, String(text)]),
  );
  const taken = await (listQuery(model, cursorPaging())({ querystring: `${query}` } as Context, async () => {}) as Promise<void>).then(
    () => true,
    (error: unknown) => {
      if (error instanceof Problem && error.code === 'invalid_query') return false;
      throw error;
    },
  );
  return { fits: fits(value), taken };
}

const keys = (count: number) => Array.from({ length: count }, (_, index) => `f${index}`);

describe('the published schema of a list parameter and the code that reads it', () => {
  it.each<[string, string, boolean, unknown]>([
    ['Note', 'sort', true, ['text']],
    ['Note', 'sort', true, ['-at', 'rank', 'text']],
    ['Note', 'sort', false, ['text', 'text']],
    ['Note', 'sort', false, ['text', '-text']],
    ['Note', 'sort', false, ['-rank', 'text', 'rank']],
    ['Note', 'sort', false, ['none']],
    ['Short', 'sort', true, ['-text']],
    ['Short', 'sort', false, ['text', '-text']],
    ['Wide', 'sort', true, keys(7)],
    ['Wide', 'sort', false, keys(8)],
    ['Note', 'text[eq]', true, 'a b,c'],
    ['Note', 'text[eq]', true, '\n'],
    ['Note', 'text[eq]', false, 'a\0b'],
    ['Note', 'text[prefix]', false, '\0'],
    ['Note', 'text[prefix]', true, 'x'.repeat(1000)],
    ['Note', 'text[prefix]', false, 'x'.repeat(1001)],
    ['Note', 'text[in]', true, ['a', '', 'b']],
    ['Note', 'text[in]', false, ['a', '\0']],
    ['Note', 'place[eq]', true, 'Washington, D.C.'],
    ['Note', 'text[in][]', true, ['a,b', '', 'b']],
    ['Note', 'text[in][]', false, ['a', '\0']],
    ['Note', 'place[in][]', true, ['Rome', 'Rome', 'Washington, D.C.']],
    ['Note', 'place[in][]', false, ['Washington']],
    ['Note', 'mood[nin][]', true, ['good, better', 'null']],
  ])('agree: %s, %s, %j, %j', async (model, name, accepted, value) => {
    expect(await judge(models[model] as typeof Note, name, value)).toEqual({ fits: accepted, taken: accepted });
  });

  it('agree that a value in a list ends at a comma', async () => {
    expect(await judge(Note, 'text[in]', ['a,b'])).toEqual({ fits: false, taken: true }); // as the two values a and b
    expect(await judge(Note, 'text[eq]', 'a,b')).toEqual({ fits: true, taken: true });
  });
});

import { openapiDocument } from '../../src/index.ts';
import { documents } from './documents.ts';
import { everyApi } from './every-api.ts';
import { compileSchema } from './published.ts';

interface Example {
  readonly schema: unknown;
  readonly value: unknown;
}

/** Every example of a document with its schema: those of a schema itself, and those that stand beside one. */
function* examplesOf(part: unknown): Generator<Example> {
  if (typeof part !== 'object' || part === null) return;
  const { schema = part, example, examples } = part as Record<string, unknown>;
  if (example !== undefined) yield { schema, value: example };
  if (Array.isArray(examples)) for (const value of examples) yield { schema, value };
  else if (typeof examples === 'object') for (const { value } of Object.values(examples as object)) yield { schema, value };
  for (const inner of Object.values(part)) yield* examplesOf(inner);
}

describe.each(documents)('the examples in the document of %s', (_name, document) => {
  const examples = [...examplesOf(document)];

  it('stand in headers, parameters and problems', () => {
    const values = examples.map(({ value }) => value);
    expect(values).toEqual(expect.arrayContaining(['"0"', expect.objectContaining({ status: 404, code: 'not_found' })]));
  });

  it('fit their schemas', () => {
    for (const { schema, value } of examples) expect([value, compileSchema(document, schema)(value)]).toEqual([value, true]);
  });
});

it('of a field are as clients read and write it', () => {
  const values = [...examplesOf(openapiDocument(everyApi()))].map(({ value }) => value);
  expect(values).toEqual(expect.arrayContaining(['hello', '2026-01-31T12:00:00Z', '0.10']));
});

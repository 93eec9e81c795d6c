import { Ajv2020 } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import { ConfigurationError, Problem } from '../../../src/errors.ts';
import { compileBody } from '../../../src/model/compile/compile-body.ts';
import { findTypeErrors } from '../../support/docs/find-type-errors.ts';
import { cases, seed } from '../../support/fuzzing/fuzz.ts';
import { bodySchemas, type Json, valuesOf } from '../../support/fuzzing/random-schema.ts';

/** The lines of a program that TypeScript refuses, with its messages. */
async function compile(code: string): Promise<string[]> {
  const lines = code.split('\n');
  const mistakes = await findTypeErrors({ 'random-schemas.ts': code });
  return mistakes.map(({ line, message }) => {
    const schema = lines.slice(0, line).findLast((text) => text.startsWith('const schema'));
    return `${lines[line - 1]}\n${schema}\n${message}`;
  });
}

/** The source of a value. */
function print(value: unknown): string {
  if (typeof value === 'bigint') return `${value}n`;
  if (Array.isArray(value)) return `[${value.map(print).join(', ')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  return `{ ${Object.entries(value)
    .map(([key, member]) => `${JSON.stringify(key)}: ${print(member)}`)
    .join(', ')} }`;
}

const header = `
import type { TypeOfSchema } from '../../src/model/define/json-schema-type.ts';
declare function typesOf<const S>(schema: S): { [As in 'body' | 'document' | 'read' | 'create' | 'untyped']: TypeOfSchema<S, As> };
`;

/** What the library makes of a body, or undefined if it refuses it. */
function readOrUndefined(read: (body: unknown) => unknown, value: unknown): unknown {
  try {
    return read(value);
  } catch (error) {
    if (error instanceof Problem) return undefined;
    throw error;
  }
}

/** The reader of a schema, unless the library refuses the schema. */
function readerOf(schema: Json): ((body: unknown) => unknown) | undefined {
  try {
    return compileBody(schema).read;
  } catch (error) {
    if (error instanceof ConfigurationError) return undefined;
    throw error;
  }
}

describe('the type of a random JSON Schema', () => {
  it('takes every value that the schema accepts, as it was sent and as it was read', async () => {
    const ajv = new Ajv2020({ strict: false });
    const seen = { read: 0, valid: 0, schemas: 0 };
    let code = header;
    for (const schema of fc.sample(bodySchemas, cases(150))) {
      const lines: string[] = [];
      const read = readerOf(schema);
      const isValid = ajv.compile(schema);
      for (const value of fc.sample(valuesOf(schema), { seed, numRuns: 12 })) {
        if (isValid(value)) {
          seen.valid++;
          lines.push(`types.untyped = ${print(value)};`);
        }
        const body = read && readOrUndefined(read, value);
        if (body === undefined) continue;
        seen.read++;
        lines.push(`types.create = ${print(value)};`, ...['body', 'document', 'read'].map((form) => `types.${form} = ${print(body)};`));
      }
      if (lines.length === 0) continue;
      seen.schemas++;
      code += `{\nconst schema = ${JSON.stringify(schema)};\nconst types = typesOf(${JSON.stringify(schema)});\n${[...new Set(lines)].join('\n')}\n}\n`;
    }
    expect(await compile(code)).toEqual([]);
    expect(Math.min(seen.read, seen.valid, seen.schemas)).toBeGreaterThan(100);
  });
});

import { _, Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { once } from '../../mistakes.ts';
import { Invalid } from '../../rules.ts';
import { isMultipleOf } from '../value/multiple-of.ts';
import { decimalLeaf } from '../value/number-leaves.ts';
import { hasEqualItems } from '../value/unique-items.ts';

/**
 * Ajv in strict mode, for the constraints of single fields. It does not know this library's keywords: they would have
 * no effect inside an untyped schema, and must be refused there.
 */
function createAjv(checksSchemas: boolean): Ajv2020 {
  const created = new Ajv2020({
    strict: true,
    strictTypes: true,
    strictRequired: false,
    allowUnionTypes: true,
    meta: checksSchemas,
    validateSchema: checksSchemas,
  });
  formats.default(created);
  created.addFormat('url', isUrl);
  created.addFormat('decimal', isDecimal); // as this library describes `t.decimal()`
  created.removeKeyword('uniqueItems');
  created.addKeyword({ keyword: 'uniqueItems', type: 'array', schemaType: 'boolean', validate: isUnique });
  created.removeKeyword('multipleOf');
  created.addKeyword({
    keyword: 'multipleOf',
    type: 'number',
    schemaType: 'number',
    validate: isMultipleOf,
    error: { message: 'must be a multiple', params: ({ schemaCode }) => _`{multipleOf: ${schemaCode}}` },
  });
  return created;
}

/** Compiles keywords whose values were checked before. */
export const ajv = createAjv(false);

/**
 * Keywords that refer to another schema. Ajv would take `#/constructor` for one that allows everything: only
 * `resolveSchema` follows them.
 */
export const referring = ['$ref', '$dynamicRef', '$recursiveRef'];

/**
 * Compiles schemas that users write, checked by the schema of schemas of JSON Schema. To compile that one takes longer
 * than all else of a start, so that only apps with such schemas do. It needs the keywords that refer, which are unknown
 * from then on.
 */
export const checkingAjv = once(() => {
  const created = createAjv(true);
  void created.validateSchema({});
  for (const keyword of referring) created.removeKeyword(keyword);
  return created;
});

// The pattern of ajv-formats would take minutes for a malicious string of 1 MiB.
function isUrl(text: string): boolean {
  return /^(?:https?|ftp):\/\//i.test(text) && !/\s/.test(text) && URL.canParse(text);
}

function isDecimal(text: string): boolean {
  return !(decimalLeaf.fromJson(text) instanceof Invalid);
}

function isUnique(wanted: boolean, items: readonly unknown[]): boolean {
  return !wanted || !hasEqualItems(items);
}

/** The formats that a string may have. */
export const stringFormats = Object.entries(ajv.formats).flatMap(([name, format]) => (isStringFormat(format) ? [name] : []));

function isStringFormat(format: (typeof ajv.formats)[string]): boolean {
  return typeof format !== 'boolean' && format !== undefined && !('type' in format && format.type === 'number');
}

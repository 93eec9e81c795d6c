import { t } from '../../../src/index.ts';
import { escapePatterns } from '../../../src/openapi/schemas/escape-patterns.ts';
import { describeFields } from '../fixtures.ts';
import { compileNamed, schemaOf } from '../published.ts';

describe('the patterns of a description', () => {
  it.each<[string, object, object]>([
    ['alone', { pattern: '^[^\0]*$' }, { pattern: '^[^\\x00]*$' }],
    ['of keys', { propertyNames: { pattern: '\t' } }, { propertyNames: { pattern: '\\x09' } }],
    [
      'of items',
      { items: { pattern: '\u2028' }, prefixItems: [{ pattern: '\n' }] },
      { items: { pattern: '\\u2028' }, prefixItems: [{ pattern: '\\x0a' }] },
    ],
    ['of members', { properties: { pattern: { pattern: '\0' } } }, { properties: { pattern: { pattern: '\\x00' } } }],
    [
      'as keys',
      { patternProperties: { '\0': { pattern: '\0' }, b: false } },
      { patternProperties: { '\\x00': { pattern: '\\x00' }, b: false } },
    ],
    ['of alternatives', { anyOf: [{ pattern: '\0' }, true] }, { anyOf: [{ pattern: '\\x00' }, true] }],
  ])('%s are written without control characters', (_name, keywords, written) => {
    expect(escapePatterns(keywords as never)).toEqual(written);
  });

  it('are no values that look like one', () => {
    const values = { const: { pattern: '\0' }, enum: ['\0', { pattern: '\0' }] };
    expect(escapePatterns(values)).toEqual(values);
  });

  it('mean the same as in the definition, wherever they stand', () => {
    const raw = '^[^\0\n]*$';
    const document = describeFields({
      text: t.string({ pattern: raw }),
      list: t.array(t.string({ pattern: raw })),
      map: t.map(t.string(), { propertyNames: { pattern: raw } }),
      own: { type: 'object', patternProperties: { [raw]: { type: 'string' } } },
    });
    const patterns = JSON.stringify(schemaOf(document, 'ThingCreate')).match(/\^\[\^\\\\x00\\\\x0a\]\*\$/g);
    expect(patterns).toHaveLength(4);
    const least = { text: '', list: [], map: {}, own: {} };
    const fits = compileNamed(document, 'ThingCreate');
    expect([fits({ ...least, text: 'a' }), fits({ ...least, text: 'a\n' }), fits({ ...least, map: { '\0': '' } })]).toEqual([
      true,
      false,
      false,
    ]);
  });
});

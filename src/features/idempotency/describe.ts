import type { Components } from '../../openapi/components.ts';
import type { DocumentPart } from '../../openapi/document.ts';

/** Describes the key of a request. */
export function describeKey(required: boolean, components: Components): DocumentPart {
  const description =
    'A key of your own making for this request: if it comes again with the same key, nothing is written again, and the answer is that of the first time.';
  const schema = { type: 'string', pattern: '^(?:"(?:[!#-\\[\\]-~]|\\\\["\\\\]){1,255}"|[!#-\\[\\]-~]{1,255})$' }; // as `parseIdempotencyKey` reads it
  const example = '"8e03978e-40d5-43e8-bc93-6894a57f9324"';
  return components.refer('parameters', 'IdempotencyKey', {
    name: 'Idempotency-Key',
    in: 'header',
    description,
    required,
    schema,
    example,
  });
}

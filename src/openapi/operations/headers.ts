import type { CompiledResource } from '../../resource/define/compiled-resource.ts';
import type { Components } from '../components.ts';
import type { DocumentPart } from '../document.ts';

/** The entity tag of the answer. `required` is false where a stream of events may be answered instead. */
export function entityTag(components: Components, required = true): DocumentPart {
  return components.refer('headers', required ? 'ETag' : 'OptionalETag', {
    description: 'The revision of what is answered, in double quotes (RFC 9110 §8.8.3).',
    required,
    schema: { type: 'string' },
    example: '"0"',
  });
}

/** The headers that say who may keep the answer, and what it depends on: also on `Accept` if that chooses its form. */
export function cachingHeaders(
  components: Components,
  { vary }: CompiledResource['caching'],
  isNegotiated = false,
): Readonly<Record<string, DocumentPart>> {
  return {
    'Cache-Control': cacheControl(components),
    ...(vary?.length === 0 && !isNegotiated ? {} : { Vary: components.refer('headers', 'Vary', varyHeader) }),
  };
}

const varyHeader: DocumentPart = {
  description: 'The headers of the request that the answer depends on (RFC 9110 §12.5.5).',
  schema: { type: 'string' },
  example: 'Authorization, Cookie',
};

/** The header that says who may keep the answer. */
export function cacheControl(components: Components): DocumentPart {
  return components.refer('headers', 'CacheControl', {
    description: 'Who may keep the answer, and for how long (RFC 9111 §5.2).',
    schema: { type: 'string' },
    example: 'private, no-cache',
  });
}

/** The path of the new record. */
export function location(components: Components): DocumentPart {
  return components.refer('headers', 'Location', {
    description: 'The path of the new record.',
    required: true,
    schema: { type: 'string', format: 'uri-reference' },
  });
}

/** The links to the other pages. */
export function link(components: Components): DocumentPart {
  return components.refer('headers', 'Link', {
    description:
      'The pages around this one, as `rel="prev"` and `rel="next"` (RFC 8288), where there are any; by number also `rel="first"`. Left out where it would be longer than 8 KiB.',
    schema: { type: 'string' },
  });
}

/** The precondition of a write. */
export function ifMatch({ resource, components }: { readonly resource: CompiledResource; readonly components: Components }): DocumentPart {
  const required = resource.preconditionRequired;
  const description = 'Write only if the record still has one of these entity tags; `*` is any (RFC 9110 §13.1.1).';
  return precondition(components, required ? 'IfMatchRequired' : 'IfMatch', { name: 'If-Match', description, required });
}

/** The precondition of a read that wants the record only as it was. */
export function ifStillMatch(components: Components): DocumentPart {
  const description = 'Answer only if the record still has one of these entity tags; `*` is any (RFC 9110 §13.1.1).';
  return precondition(components, 'IfStillMatch', { name: 'If-Match', description });
}

/** The precondition of a read that wants the record only where it has changed. */
export function ifNoneMatch(components: Components): DocumentPart {
  const description = 'Answer only if there is something else than these entity tags name; `*` is any (RFC 9110 §13.1.2).';
  return precondition(components, 'IfNoneMatch', { name: 'If-None-Match', description });
}

/** The precondition of a write that must not match the named entity tags. */
export function unlessMatch(components: Components): DocumentPart {
  const description = 'Write only if the record has none of these entity tags; `*` is any (RFC 9110 §13.1.2).';
  return precondition(components, 'UnlessMatch', { name: 'If-None-Match', description });
}

/** The precondition of a create whose id must be free. */
export function ifFree(components: Components): DocumentPart {
  const description = 'With `*`, an `id` that another record has is 412 and not 409 (RFC 9110 §13.1.2); entity tags have no effect.';
  return precondition(components, 'IfFree', { name: 'If-None-Match', description, example: '*' });
}

function precondition(components: Components, key: string, parameter: DocumentPart): DocumentPart {
  return components.refer('parameters', key, { in: 'header', schema: { type: 'string' }, example: '"0"', ...parameter });
}

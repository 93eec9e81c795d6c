import type { Binary } from 'mongodb';
import { ConfigurationError } from '../../errors.ts';
import { Invalid } from '../../rules.ts';
import type { CompiledField, LeafNode } from '../node.ts';
import { binaryLeaf } from '../value/binary-leaf.ts';
import { stringLeaf } from '../value/leaves.ts';

/** The longest id, in Unicode code points. At three bytes for each it still fits into a URL and into an index. */
const longest = 512;

/** Matches all strings without NUL except `.` and `..`, in syntax that every dialect of regular expressions has. */
export const addressable = '^(?:[^.\\x00]|\\.[^.\\x00]|\\.\\.[^\\x00])[^\\x00]*$';
const matches = new RegExp(addressable, 'u');

/**
 * Returns the field of the id with constraints that let a URL path address every id, in addition to its own. URLs drop
 * the segments `.` and `..` (RFC 3986 §5.2.4), and an empty id has no segment. Throws a {@link ConfigurationError} for
 * an enum with such a member.
 */
export function asId(field: CompiledField): CompiledField {
  const { node } = field;
  if (node.kind !== 'leaf') return field;
  if (node.leaf === stringLeaf) return asStringId(field, node);
  if (node.leaf.name === binaryLeaf.name) return asBinaryId(field, node);
  const members = node.leaf.name === 'enum' ? (node.leaf.readSchema.enum as readonly string[]) : [];
  const wrong = members.find((member) => checkAddressable(member) !== undefined);
  if (wrong === undefined) return field;
  throw new ConfigurationError(
    `\`id\` has the member \`${wrong}\`, which a URL path cannot address: a member must have 1 to ${longest} characters without NUL, and be neither \`.\` nor \`..\`.`,
  );
}

function asBinaryId(field: CompiledField, node: LeafNode): CompiledField {
  return {
    ...field,
    node: { ...node, keywords: { ...node.keywords, minLength: 1 } }, // of the base64
    constraint: (id) => field.constraint?.(id) ?? ((id as Binary).length() === 0 ? tooShort : undefined),
  };
}

function asStringId(field: CompiledField, node: LeafNode): CompiledField {
  const { keywords } = node;
  const bounds = {
    minLength: Math.max(1, (keywords.minLength as number | undefined) ?? 1),
    maxLength: Math.min(longest, (keywords.maxLength as number | undefined) ?? longest),
  };
  // The part has its own type: some generators do not look at the type beside an `allOf`.
  const published = keywords.pattern === undefined ? { pattern: addressable } : { allOf: [{ type: 'string', pattern: addressable }] };
  return {
    ...field,
    node: { ...node, keywords: { ...keywords, ...bounds, ...published } },
    constraint: (id) => field.constraint?.(id) ?? checkAddressable(id as string),
  };
}

const tooShort = new Invalid('minLength', 'must have at least 1 character', { limit: 1 });
const tooLong = new Invalid('maxLength', `must have at most ${longest} characters`, { limit: longest });
const notAddressable = new Invalid('not_addressable', 'must not be . or .., nor have a NUL character');

function checkAddressable(id: string): Invalid | undefined {
  if (id === '') return tooShort;
  if ([...id].length > longest) return tooLong;
  return matches.test(id) ? undefined : notAddressable;
}

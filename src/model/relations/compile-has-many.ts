import { ConfigurationError } from '../../errors.ts';
import { tryAll } from '../../mistakes.ts';
import { aString, aWholeNumber, checkOptions, checkValue, type LegalOptions, orUndefined, required, trueOrFalse } from '../../options.ts';
import { checkName } from '../define/field-name.ts';
import type { HasMany } from '../define/has-many.ts';
import { membersOf, type ObjectNode, relationSlot } from '../node.ts';
import { hasNextName, listName, type ManyRelation } from './many-relations.ts';

const mostRecords = 10_000;
const mostCounted = 1_000_000;

/** `1e3` or an empty name would be no field. */
export const anOrder = [
  (sort: unknown) => typeof sort === 'string' && sort.split(',').every((key) => /^-?[^-,][^,]*$/.test(key)),
  "names of fields, separated by commas, with `-` for descending: '-createdAt,name'",
] as const;

const legal: LegalOptions<HasMany> = {
  model: required(aString),
  via: required(aString),
  max: orUndefined(aWholeNumber(1)),
  sort: orUndefined(anOrder),
  count: orUndefined(trueOrFalse),
  resource: orUndefined(aString),
};

/**
 * Compiles the relations of a model by `t.hasMany`. `root` is the record, whose names they must not have. Throws a
 * {@link ConfigurationError}.
 */
export function compileHasMany(given: Readonly<Record<string, unknown>>, root: ObjectNode): ReadonlyMap<string, ManyRelation> {
  const relations = tryAll(
    Object.entries(given).map(
      ([name, one]) =>
        () =>
          compileOne(name, one as HasMany),
    ),
  );
  checkMembers(relations, root);
  return new Map(relations.map((relation) => [relation.name, relation]));
}

function compileOne(name: string, definition: HasMany): ManyRelation {
  checkName(name, name, '');
  const where = `\`t.hasMany\` of \`${name}\``;
  checkOptions(definition, legal, where);
  const { model, via, sort, count = false, resource } = definition;
  const { max = count ? 10_000 : 100 } = definition;
  checkValue(`\`max\` of ${where}`, max, aWholeNumber(1, count ? mostCounted : mostRecords));
  if (count && sort !== undefined) throw new ConfigurationError(`${where} cannot have \`sort\` with \`count\`: a number has no order.`);
  return { name, model, via, max, sort: sort === undefined ? [] : parseOrder(sort, `\`sort\` of ${where}`), isCount: count, resource };
}

/** Parses an order of records that is {@link anOrder}. `option` says where it stands, for error messages. */
export function parseOrder(order: string, option: string): ManyRelation['sort'] {
  const keys = order.split(',').map(parseKey);
  const names = keys.map(([name]) => name);
  const twice = names.find((name, index) => names.indexOf(name) < index);
  if (twice !== undefined) throw new ConfigurationError(`${option} names \`${twice}\` twice.`);
  return keys;
}

function parseKey(key: string): readonly [string, 1 | -1] {
  return key.startsWith('-') ? [key.slice(1), -1] : [key, 1];
}

/** Refuses a relation that would add a member which is there already: a field, an `as`, or one of another relation. */
function checkMembers(relations: readonly ManyRelation[], root: ObjectNode): void {
  const taken = new Set(membersOf(root).flatMap((field) => [field.name, relationSlot(field)?.ref.as ?? field.name]));
  for (const { name, isCount } of relations) {
    for (const member of [name, hasNextName(name), ...(isCount ? [] : [listName(name)])]) {
      if (taken.has(member))
        throw new ConfigurationError(
          `\`t.hasMany\` of \`${name}\` adds a member \`${member}\`, which is already the name of a field, of an \`as\` or of another relation.`,
        );
      taken.add(member);
    }
  }
}

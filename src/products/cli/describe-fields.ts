import type { FieldEntry } from '../../model/node.ts';
import { tabulateComputed } from '../../model/read/computed-fields.ts';
import { type Access, insertAccess, updateAccess } from '../../model/write/access.ts';
import type { CompiledResource } from '../../resource/define/compiled-resource.ts';
import { formatTable } from './format-table.ts';

/** Who may do what with a field of a resource. */
export interface FieldFindings {
  /** Its dotted name. */
  readonly field: string;
  /** `everybody`, `nobody`, or the rules of which one must hold: `staff or finance`. */
  readonly read: string;
  readonly insert: string;
  readonly update: string;
  /** The operators by which those who read it may filter. */
  readonly filter: readonly string[];
  readonly sort: boolean;
}

/** Describes the fields of a resource whose policies name rules, as clients know them. Undefined if none does. */
export function describeFields(resource: CompiledResource): FieldFindings[] | undefined {
  const { model, explicitWrites } = resource;
  if (model.rules.length === 0) return undefined;
  const [insert, update] = [insertAccess({ explicitWrites }), updateAccess({ explicitWrites })];
  const computed = tabulateComputed(model.root, model.fieldTable).map(({ name, computed: { field }, parent }) => ({ name, field, parent }));
  return [...model.fieldTable.values(), ...computed].map((entry) => {
    const query = model.clientFields.get(entry.name);
    return {
      field: entry.name,
      read: inWords(clausesOf(entry, ({ field: { policy, rules } }) => rules?.read ?? !policy.private)),
      insert: inWords(clausesOf(entry, (one) => writers(one, insert, one.field.rules?.insert))),
      update: inWords(clausesOf(entry, (one) => writers(one, update, one.field.rules?.update))),
      filter: [...(query?.operators ?? [])],
      sort: query?.sortable ?? false,
    };
  });
}

/** The fields of a resource as a table. */
export function formatFields(fields: readonly FieldFindings[]): string {
  const head = ['field', 'read', 'insert', 'update', 'filter', 'sort'];
  const rows = fields.map(({ field, read, insert, update, filter, sort }) => [
    field,
    read,
    insert,
    update,
    filter.join(', ') || '-',
    sort ? 'yes' : '-',
  ]);
  return formatTable([head, ...rows]);
}

/** A field in its place, stored or computed. */
type Placed = Pick<FieldEntry, 'field' | 'parent'>;

/** Everybody, nobody, or the rules of which one must hold. */
type Callers = boolean | readonly string[];

/** Who cannot read a field may write it only if its policy says so. */
function writers({ field }: Placed, access: Access, named: readonly string[] | undefined): Callers {
  if (access.refusal(field) !== undefined) return false;
  const isOpened = (access.existing ? field.policy.update : field.policy.insert) === true;
  return named ?? (isOpened ? true : (field.rules?.read ?? true));
}

/** What must hold for a field, and for each object that holds it. */
function clausesOf(entry: Placed, callersOf: (entry: Placed) => Callers): Callers[] {
  return [...(entry.parent ? clausesOf(entry.parent, callersOf) : []), callersOf(entry)];
}

function inWords(clauses: readonly Callers[]): string {
  if (clauses.includes(false)) return 'nobody';
  const named = [...new Set(clauses.flatMap((clause) => (clause === true ? [] : [(clause as readonly string[]).join(' or ')])))];
  return named.join(' and ') || 'everybody';
}

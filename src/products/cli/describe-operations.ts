import type { CompiledResource } from '../../resource/define/compiled-resource.ts';
import type { TableName } from '../../resource/define/function-tables.ts';
import { firstOfEach } from '../../resource/define/given.ts';
import type { ServedResource, ServedRow } from '../../resource/serve-resource.ts';
import type { TableKeys, When } from '../../resource/table/row.ts';
import { describeFields, type FieldFindings } from './describe-fields.ts';
import { formatTable } from './format-table.ts';

/** A function around an operation, by its name, and the key of the definition that gives it. */
interface FunctionFindings {
  readonly name: string;
  /** Such as `guards` or `guardsFor.change`; for a function of another resource, with its path: `people: guards`. */
  readonly from: string;
}

/** The guards, hooks and scope around an operation. */
export interface OperationFindings extends Pick<ServedRow, 'name' | 'method' | 'path'> {
  /** The requests of its method and path that it answers. Missing if it answers all that no other one does. */
  readonly when?: When;
  readonly guards: readonly FunctionFindings[];
  readonly before: readonly FunctionFindings[];
  readonly within: readonly FunctionFindings[];
  readonly after: readonly FunctionFindings[];
  /** Whether the scope of its resource bounds it. */
  readonly isScoped: boolean;
}

/** A resource of an api. */
export interface ResourceFindings {
  readonly path: string;
  readonly model: string;
  readonly operations: readonly OperationFindings[];
  /** Who may do what with its fields, if that depends on rules. */
  readonly fields?: readonly FieldFindings[];
}

/** Describes a resource, with its operations in the order in which it serves them. */
export function describeResource(resource: ServedResource): ResourceFindings {
  const { path, model, rows } = resource;
  const fields = describeFields(resource);
  return { path, model: model.name, operations: rows.map((row) => describeRow(resource, row)), ...(fields ? { fields } : {}) };
}

/** The operations of a resource as a table. */
export function formatOperations(operations: readonly OperationFindings[]): string {
  const head = ['operation', 'guards', 'before', 'within', 'after', 'scope'];
  const rows = operations
    .filter(isFirst)
    .map(({ name, guards, before, within, after, isScoped }) => [
      name,
      ...[guards, before, within, after].map((functions) => functions.map(formatFunction).join(', ') || '-'),
      isScoped ? 'yes' : '-',
    ]);
  return formatTable([head, ...rows]);
}

/** A list whose parameters stand in a body is served at two places, which do not differ otherwise. */
function isFirst({ name }: OperationFindings, index: number, all: readonly OperationFindings[]): boolean {
  return all.findIndex((one) => one.name === name) === index;
}

/** A guard of every operation needs no word that it is one. */
function formatFunction({ name, from }: FunctionFindings): string {
  const source = from
    .replace(/guards$/, '')
    .replace(/^(.*: )?\w+\./, '$1')
    .replace(/: $/, '');
  return source === '' ? name : `${name} (${source})`;
}

function describeRow(resource: CompiledResource, { name, method, path, when, asks, runs, isScoped }: ServedRow): OperationFindings {
  const given = (option: TableName, ...keys: readonly TableKeys[]): FunctionFindings[] => {
    const found = keys.flatMap(({ resource: of, names }) => of.givenTo(option, ...names).map((one) => ({ of, ...one })));
    return firstOfEach(found).map(({ of, run, from }) => ({
      name: run.name || '(anonymous)',
      from: of.path === resource.path ? from : `${of.path}: ${from}`,
    }));
  };
  return {
    name,
    method,
    path,
    ...(when && { when }),
    guards: given('guardsFor', ...asks),
    before: given('before', runs),
    within: given('within', runs),
    after: given('after', runs),
    isScoped,
  };
}

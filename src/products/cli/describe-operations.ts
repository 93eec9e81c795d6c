import type { CompiledResource } from '../../resource/define/compiled-resource.ts';
import type { ServedResource } from '../../resource/serve-resource.ts';
import type { ServedOperation } from '../../resource/served-operations.ts';
import { describeFields, type FieldFindings } from './describe-fields.ts';
import { formatTable } from './format-table.ts';

/** The guards, hooks and scope around an operation. Functions are given by their names. */
export interface OperationFindings extends Pick<ServedOperation, 'name' | 'method' | 'path'> {
  readonly guards: readonly string[];
  readonly before: readonly string[];
  readonly within: readonly string[];
  readonly after: readonly string[];
  /** Whether the scope of its resource bounds it. */
  readonly isScoped: boolean;
}

type Functions = Omit<OperationFindings, 'name' | 'method' | 'path'>;

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
  const served = resource.served.filter(({ twinOf }) => twinOf === undefined);
  const operations = served.map(({ name, method, path }) => ({ name, method, path, ...functionsOf(resource, name) }));
  const fields = describeFields(resource);
  return { path: resource.path, model: resource.model.name, operations, ...(fields ? { fields } : {}) };
}

/** The operations of a resource as a table. */
export function formatOperations(operations: readonly OperationFindings[]): string {
  const head = ['operation', 'guards', 'before', 'within', 'after', 'scope'];
  const rows = operations.map(({ name, guards, before, within, after, isScoped }) => [
    name,
    ...[guards, before, within, after].map((names) => names.join(', ') || '-'),
    isScoped ? 'yes' : '-',
  ]);
  return formatTable([head, ...rows]);
}

function functionsOf(resource: ServedResource, name: string): Functions {
  if (resource.links.some(({ operations }) => operations.some((one) => one.name === name))) return of(resource, 'patch');
  for (const { target, operations } of resource.nested) {
    const kind = operations.find((one) => one.name === name)?.kind;
    if (kind && kind !== 'query') return below(resource, of(target, kind));
  }
  return of(resource, name);
}

function of(resource: CompiledResource, operation: string): Functions {
  const { isScoped, scopeWrites } = resource;
  return {
    guards: namesOf(resource.guardsOf(operation)),
    before: namesOf(resource.beforeOf(operation)),
    within: namesOf(resource.withinOf(operation)),
    after: namesOf(resource.hooksOf(operation)),
    isScoped: isScoped && (operation !== 'create' || scopeWrites),
  };
}

/** An operation below a record requires that the caller may see the record. */
function below(resource: CompiledResource, own: Functions): Functions {
  const ofRecord = namesOf(resource.guardsOf(resource.shownBy ?? ''));
  return { ...own, guards: [...new Set([...ofRecord, ...own.guards])] };
}

function namesOf(functions: readonly ((...args: never[]) => unknown)[]): string[] {
  return functions.map(({ name }) => name || '(anonymous)');
}

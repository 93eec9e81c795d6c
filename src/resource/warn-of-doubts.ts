import { listNames, nearest } from '../hints.ts';
import { type CompiledModel, compileModel } from '../model/compile/compile-model.ts';
import type { Model } from '../model/define/define-model.ts';
import { type CompiledField, join, type ObjectNode, type Slot } from '../model/node.ts';
import { type Access, insertAccess, isRequired } from '../model/write/access.ts';
import { makeId } from '../model/write/compile-writes.ts';
import type { CompiledResource } from './define/compiled-resource.ts';
import { describeUncovered } from './define/operation-groups.ts';
import { makesRecord } from './define/standard-operations.ts';

/** Warns the developer (`process.emitWarning`) about definitions that are legal, but probably not meant. */
export function warnOfDoubts(resources: readonly CompiledResource[], models: readonly Model[]): void {
  resources.forEach(warnOfUnsettable);
  resources.forEach(warnOfPublicCache);
  for (const { path, uncovered } of resources) for (const one of uncovered) warn('UNCOVERED_OPERATION', describeUncovered(one, path));
  warnOfUnknownModels([...resources.map(({ model }) => model), ...models.map(compileModel)]);
}

/** Warns the developer of a definition. */
export function warn(code: string, message: string): void {
  process.emitWarning(message, { type: 'KoaMongoResourceWarning', code });
}

/** A shared cache answers all callers alike (RFC 9111 §5.2.2.9, §5.2.2.10). */
function warnOfPublicCache({ path, caching: { cacheControl = '' }, model, isScoped }: CompiledResource): void {
  const differing = model.hasReadRules ? `fields of ${model.name} have read rules` : isScoped && 'it has a scope';
  if (!differing || !/(?:^|[\s,])(?:public|s-maxage=\d+)(?:[\s,]|$)/i.test(cacheControl)) return;
  warn(
    'PUBLIC_CACHE',
    `The \`cacheControl\` of resource \`${path}\` lets shared caches keep its answers, and ${differing}: a cache would show to all what one caller may see. Leave it at \`private\`.`,
  );
}

/** The values that `serverFields` and hooks before a create set are not known beforehand. Hooks cannot set the id. */
function warnOfUnsettable(resource: CompiledResource): void {
  const { path, ops, model, serverFields, beforeOf } = resource;
  const making = ops.find(makesRecord);
  if (!making || serverFields.create) return;
  const hasHooks = beforeOf(making).length > 0;
  const fields = unsettable(model.root, insertAccess(resource)).filter((name) => name === model.id.name || !hasHooks);
  if (fields.length === 0) return;
  warn(
    'UNSETTABLE_FIELD',
    `No create of resource \`${path}\` can succeed: nobody can set ${listNames(fields.map((name) => `\`${name}\``))} of ${model.name}, and a record needs a value there. Give it a default, or let \`serverFields\`, \`before.create\` or \`policy.insert\` set it.`,
  );
}

/**
 * The paths of required fields that clients may not send, in the record and in objects that are required themselves.
 */
export function unsettable(node: ObjectNode, access: Access, path = ''): string[] {
  return node.fields.flatMap((field) => {
    const at = join(path, field.name);
    if (!isRequired(field) || isMade(field)) return [];
    if (access.refusal(field) !== undefined) return [at];
    return field.node.kind === 'object' ? unsettable(field.node, access, at) : [];
  });
}

/** Whether the service sets the field. */
function isMade(field: CompiledField): boolean {
  return field.maintained !== undefined || (field.isId && makeId(field) !== undefined);
}

/** A reference may lead to records of another service, so that only names that look misspelt are reported. */
function warnOfUnknownModels(models: readonly CompiledModel[]): void {
  const known = new Set(models.map(({ name }) => name));
  const unknown = new Set(models.flatMap((model) => [...misspelt(model, known)]));
  for (const message of unknown) warn('UNKNOWN_MODEL', message);
}

function* misspelt({ root, name }: CompiledModel, known: ReadonlySet<string>): Iterable<string> {
  for (const [path, model] of references({ node: root, nullable: false, constraint: undefined }, '')) {
    const meant = known.has(model) ? undefined : nearest(model, known);
    if (meant !== undefined && meant.length - model.length <= mostMissing)
      yield `\`${path}\` of ${name} refers to the model \`${model}\`, which this api does not know; did you mean \`${meant}\`?`;
  }
}

/** A name that is much shorter than the known one is another name, not a misspelt one: Book beside Bookshelf. */
const mostMissing = 2;

/** Each reference within a value: its path, and the model that it names. */
function* references({ node, ref }: Slot, path: string): Iterable<readonly [path: string, model: string]> {
  if (ref) yield [path, ref.model];
  if (node.kind === 'object') for (const field of node.fields) yield* references(field, join(path, field.name));
  else if (node.kind === 'array') yield* references(node.items, path);
  else if (node.kind === 'map') yield* references(node.values, join(path, '*'));
}

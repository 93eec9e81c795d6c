import { ConfigurationError } from '../errors.ts';
import { listNames } from '../hints.ts';
import type { CompiledModel } from '../model/compile/compile-model.ts';
import { mayShareIndex } from '../model/compile/model-index.ts';
import { nameAt } from '../model/fold/fold-paths.ts';
import type { FieldEntry } from '../model/node.ts';
import { insertAccess, openNames, updateAccess } from '../model/write/access.ts';
import { checkNames } from '../options.ts';
import type { CompiledResource } from './define/compiled-resource.ts';
import type { ResourceDefinition } from './define/resource-options.ts';
import { makesRecord, standardOperations } from './define/standard-operations.ts';
import { warn } from './warn-of-doubts.ts';

/** Refuses `scopeWrites` without a scope. */
export function checkScopeWrites({ scope, scopeWrites }: Pick<ResourceDefinition, 'scope' | 'scopeWrites'>, where: string): void {
  if (scopeWrites !== undefined && !scope)
    throw new ConfigurationError(
      `\`scopeWrites\` of ${where} needs a \`scope\`: it says whether the scope also applies to what clients write.`,
    );
}

/** Refuses `scopeFields` without a scope, and fields that no index could begin with: every write would fail. */
export function checkScopeFields(
  { scope, scopeFields = [] }: Pick<ResourceDefinition, 'scope' | 'scopeFields'>,
  { fieldTable, name }: CompiledModel,
  resource: string,
): void {
  if (scopeFields.length === 0) return;
  const where = `\`scopeFields\` of ${resource}`;
  if (!scope) throw new ConfigurationError(`${where} needs a \`scope\`: they are the fields that the scope compares.`);
  checkNames(`field of ${name}, in \`scopeFields\``, scopeFields, [...fieldTable.keys()], resource);
  if (new Set(scopeFields).size < scopeFields.length) throw new ConfigurationError(`${where} names a field twice.`);
  const fields = scopeFields.map((one) => fieldTable.get(one) as FieldEntry);
  const unshared = fields.find((field, at) => fields.slice(0, at).some((earlier) => !mayShareIndex(earlier, field)));
  if (unshared)
    throw new ConfigurationError(`${where} names two fields with arrays, which one index cannot hold: leave out \`${unshared.name}\`.`);
}

/** Warns (`process.emitWarning`) if clients of one scope can learn about records of another one, or write into it. */
export function warnOfScope(resource: CompiledResource): void {
  const { path, model, scopeFields = [], scopeWrites } = resource;
  const open = scopeWrites ? [] : scopeFields.filter((name) => mayWrite(resource, name));
  if (open.length > 0) {
    warn(
      'SCOPE_WRITES',
      `Clients of resource \`${path}\` may write ${listNames(open)}, which its scope compares, and \`scopeWrites: false\` lets them put records into the scope of others. Close it by \`policy\`, or leave \`scopeWrites\` out.`,
    );
  }
  const scopePaths = scopeFields.map((name) => model.fieldTable.get(name)?.path);
  const across =
    scopeFields.length === 0 ? [] : model.indexes.filter(({ unique, key }) => unique && !key.some(([one]) => scopePaths.includes(one)));
  for (const { key } of across) {
    const names = key.map(([one]) => nameAt(one, model.fieldTable) ?? one);
    warn(
      'UNIQUE_ACROSS_SCOPES',
      `The unique index of ${listNames(names)} of ${model.name} spans the scopes of resource \`${path}\`: a 409 tells its clients what stands in records that they may not see. Put ${listNames(scopeFields)} into it.`,
    );
  }
}

function mayWrite({ ops, model, explicitWrites }: CompiledResource, name: string): boolean {
  const rules = { explicitWrites };
  const taking = ops.filter((name) => standardOperations[name].readsJson);
  const accesses = taking.map((name) => (makesRecord(name) ? insertAccess(rules) : updateAccess(rules)));
  return accesses.some((access) => openNames(model.fieldTable, access).includes(name));
}

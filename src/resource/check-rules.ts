import { ConfigurationError } from '../errors.ts';
import { didYouMean, listNames } from '../hints.ts';
import { checkModelRules } from '../middleware/views/asked-rules.ts';
import { tryAll } from '../mistakes.ts';
import type { CompiledModel } from '../model/compile/compile-model.ts';
import { findBlindPair, findBlindWriters, mayRead, nameOf } from '../model/compile/field-rules.ts';
import { comparedFields, type DeclaredIndex, wouldTell } from '../model/compile/model-index.ts';
import { viewOf } from '../model/compile/view-of.ts';
import type { FieldEntry } from '../model/node.ts';
import { chainOf } from '../model/read/field-chains.ts';
import { insertAccess } from '../model/write/access.ts';
import { answerRules } from './define/answer-rules.ts';
import type { CompiledOperation } from './define/compile-operations.ts';
import type { UnlinkedResource } from './define/compiled-resource.ts';
import { makesRecord } from './define/standard-operations.ts';
import { unsettable } from './warn-of-doubts.ts';

const none: ReadonlySet<string> = new Set();

/**
 * Checks the rules that policies name against those of the service. Throws a {@link ConfigurationError} for one that
 * the service does not have, and where a rule would let a caller learn hidden values or keep it from creating a record.
 */
export function checkRules(resources: readonly UnlinkedResource[], models: readonly CompiledModel[], known: readonly string[]): void {
  const all = [...new Set([...resources.map(({ model }) => model), ...models])];
  tryAll([
    ...all.map((model) => () => checkModelRules(model, known, 'the service')),
    ...resources.flatMap(({ path, operations }) => operations.map((one) => () => checkAnswer(one, known, `resource \`${path}\``))),
    ...resources.filter(({ model }) => model.rules.length > 0).map((resource) => () => checkResource(resource)),
    ...resources.map((resource) => () => checkIndexes(resource, all)),
  ]);
}

/** Throws a {@link ConfigurationError} for a rule that no policy names: it is probably misspelt in one. */
export function checkUnused(rules: readonly string[], models: readonly Pick<CompiledModel, 'rules'>[]): void {
  const named = new Set(models.flatMap((model) => model.rules));
  const unused = rules.find((rule) => !named.has(rule));
  if (unused !== undefined)
    throw new ConfigurationError(
      `No policy of the models of the service names the rule \`${unused}\`${didYouMean(unused, named, named.size > 0 ? `. They name ${listNames(named)}.` : '.')}`,
    );
}

function checkAnswer(operation: CompiledOperation, known: readonly string[], where: string): void {
  const unknown = answerRules(operation).find((rule) => !known.includes(rule));
  if (unknown !== undefined)
    throw new ConfigurationError(
      `A policy in \`answer\` of \`operations.${operation.name}\` of ${where} names the rule \`${unknown}\`, which the service does not have${didYouMean(unknown, known, '.')}`,
    );
}

function checkResource(resource: UnlinkedResource): void {
  const where = `resource \`${resource.path}\``;
  tryAll([() => checkScopeFields(resource, where), () => checkCreate(resource, where)]);
}

function checkScopeFields({ model, scopeFields = [] }: UnlinkedResource, where: string): void {
  const hidden = scopeFields.find((name) => !mayRead(chainOf(model.fieldTable.get(name) as FieldEntry), none));
  if (hidden !== undefined)
    throw new ConfigurationError(
      `\`scopeFields\` of ${where} has \`${hidden}\`, which not every caller may read: the scope bounds what all of them write.`,
    );
}

function checkCreate(resource: UnlinkedResource, where: string): void {
  const { ops, model, serverFields, beforeOf } = resource;
  if (serverFields.create || !ops.some((name) => makesRecord(name) && beforeOf(name).length === 0)) return;
  const access = insertAccess(resource);
  const ofAll = unsettable(model.root, access);
  const closed = unsettable(viewOf(model, none).root, access).find((name) => !ofAll.includes(name));
  if (closed !== undefined)
    throw new ConfigurationError(
      `Not every caller may set \`${closed}\` of ${model.name} in a create of ${where}, and a record needs a value there. Give it a default, or let \`serverFields\` set it.`,
    );
}

/**
 * Refuses what a 409 would tell callers of a resource of fields that they do not read. The unique indexes of every
 * model of the collection bound its writes. The fields of a scope are the same in all records that a client can write.
 */
function checkIndexes({ path, model, scopeFields = [] }: UnlinkedResource, models: readonly CompiledModel[]): void {
  const where = `In resource \`${path}\``;
  const unique = models.filter(({ collection }) => collection === model.collection).flatMap(uniqueIndexes);
  for (const { of, index } of unique) {
    const chains = comparedFields(index, model.root).filter((chain) => !scopeFields.includes(nameOf(chain)));
    const blind = chains.find((chain) => findBlindWriters(chain) !== undefined);
    if (blind)
      throw new ConfigurationError(
        `${where}, a unique index of ${of} compares \`${nameOf(blind)}\`: ${findBlindWriters(blind)} may write it and not read it, and ${wouldTell}`,
      );
    const pair = findBlindPair(chains);
    if (pair)
      throw new ConfigurationError(
        `${where}, a unique index of ${of} joins \`${pair.written}\` with \`${pair.hidden}\`: ${pair.by} may write the first and not read the second, and ${wouldTell}`,
      );
  }
}

function uniqueIndexes({ name, indexes }: CompiledModel): { readonly of: string; readonly index: DeclaredIndex }[] {
  return indexes.flatMap((index) => (index.unique ? [{ of: name, index }] : []));
}

import { ConfigurationError } from '../../errors.ts';
import { aFunction, aNumberOfDays, anArrayOf, checkNames, checkOptions, type LegalOptions, orUndefined } from '../../options.ts';
import type { Model } from '../define/define-model.ts';
import type { LedgerActor, ModelHistory, ModelOutbox } from '../define/ledger.ts';
import type { FieldEntry, FieldTable, ObjectNode } from '../node.ts';
import { lifeKey } from '../value/own-keys.ts';
import { isObject } from '../value/plain-object.ts';

/** What is kept of each change of a record. */
export interface CompiledLedger {
  readonly history: CompiledHistory | undefined;
  readonly outbox: { readonly collection: string } | undefined;
  readonly by: LedgerActor['by'];
}

/** The history of a model. */
export interface CompiledHistory {
  readonly collection: string;
  /** How long an entry is kept, in seconds. Undefined: for ever. */
  readonly keepSeconds: number | undefined;
  /** The fields whose values each entry has for scopes. */
  readonly scopeFields: readonly Pick<FieldEntry, 'name' | 'path'>[];
}

const legalHistory: LegalOptions<ModelHistory> = {
  keep: orUndefined(aNumberOfDays('90d')),
  by: aFunction,
  scopeFields: anArrayOf('field names'),
};

const legalOutbox: LegalOptions<ModelOutbox> = {
  collection: orUndefined([(value) => typeof value === 'string' && /^[^$\0.]+$/.test(value), 'the name of a collection']),
  by: aFunction,
};

/** Compiles `history` and `outbox` of a model. Throws a {@link ConfigurationError} for what no ledger can have. */
export function compileLedger(
  { name: model, collection, history: ofHistory, outbox: ofOutbox }: Pick<Model, 'name' | 'collection' | 'history' | 'outbox'>,
  root: ObjectNode,
  table: FieldTable,
): CompiledLedger | undefined {
  const history = readOptions(ofHistory, `\`history\` of model \`${model}\``, legalHistory);
  const outbox = readOptions(ofOutbox, `\`outbox\` of model \`${model}\``, legalOutbox);
  if (!history && !outbox) return undefined;
  const which = history ? 'history' : 'outbox';
  if (!root.fields.some(({ maintained }) => maintained === 'revision'))
    throw new ConfigurationError(`\`${which}\` of model \`${model}\` needs \`t.revision()\`: it says in which order a record has changed.`);
  if (root.fields.some(({ key }) => key === lifeKey))
    throw new ConfigurationError(
      `A model with \`${which}\` cannot have a field stored as \`${lifeKey}\`: the service stores a value of its own there.`,
    );
  if (history?.by && outbox?.by && history.by !== outbox.by)
    throw new ConfigurationError(`\`history\` and \`outbox\` of model \`${model}\` have different \`by\`: a change has one actor.`);
  return {
    history: history && {
      collection: `${collection}_history`,
      keepSeconds: history.keep === undefined ? undefined : Number.parseInt(history.keep, 10) * 86_400,
      scopeFields: scopeFieldsOf(history.scopeFields ?? [], table, model),
    },
    outbox: outbox && { collection: outbox.collection ?? 'events' },
    by: history?.by ?? outbox?.by,
  };
}

function readOptions<Options extends object>(given: unknown, where: string, legal: LegalOptions<Options>): Options | undefined {
  if (given === undefined || given === false) return undefined;
  if (given === true) return {} as Options;
  if (!isObject(given)) throw new ConfigurationError(`${where} must be true, false, or an object with its options.`);
  checkOptions(given as Options, legal, where);
  return given as Options;
}

function scopeFieldsOf(names: readonly string[], table: FieldTable, model: string): CompiledHistory['scopeFields'] {
  checkNames(`field of ${model}, in \`history.scopeFields\``, names, [...table.keys()], `model \`${model}\``);
  return names.map((name) => {
    const { leaf, arrayPath, path, isPrivate } = table.get(name) as FieldEntry;
    if (!leaf || arrayPath !== undefined)
      throw new ConfigurationError(
        `\`history.scopeFields\` of model \`${model}\` names \`${name}\`, which must be a single value, and not in an array.`,
      );
    if (isPrivate)
      throw new ConfigurationError(
        `\`history.scopeFields\` of model \`${model}\` names \`${name}\`, which is private: its value would stand in every entry. Let clients read it, and not write it: \`policy: { insert: false, update: false }\`.`,
      );
    return { name, path };
  });
}

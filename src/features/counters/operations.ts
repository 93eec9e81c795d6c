import { ConfigurationError } from '../../errors.ts';
import { didYouMean } from '../../hints.ts';
import { jsonBody } from '../../middleware/json-body.ts';
import { once, tryAll } from '../../mistakes.ts';
import { t } from '../../model/define/t.ts';
import type { CompiledField } from '../../model/node.ts';
import { refusalByPolicy } from '../../model/write/access.ts';
import { type CompiledOperation, compileOperations } from '../../resource/define/compile-operations.ts';
import type { ResourceParts } from '../../resource/define/resource-parts.ts';
import { counterKind } from './kind.ts';

const readBody = once(() =>
  jsonBody({
    schema: t.object(
      'Step',
      { add: t.int({ description: 'What is added. A negative number is taken away.' }) },
      { check: ({ add }) => (add === 0 ? [{ field: 'add', message: 'must not be 0' }] : undefined) },
    ),
  }),
);

/**
 * Compiles the operations that step counters. Throws a {@link ConfigurationError} for a name in `counters` that is not
 * that of a counter which clients may step, and for one that is also the name of an operation.
 */
export function compileCounters({ given, isPatched, model, where }: ResourceParts): CompiledOperation[] {
  const { counters, explicitWrites = false, operations = {} } = given('counters', 'explicitWrites', 'operations');
  const all = new Map(model.root.fields.filter(({ kind }) => kind === counterKind).map((field) => [field.name, field]));
  const isOpen = (field: CompiledField) => refusalByPolicy(field, { explicitWrites }) === undefined;
  const served = isPatched ? [...all.values()].filter(isOpen).map(({ name }) => name) : [];
  const names: readonly string[] = counters ?? served;
  return tryAll(
    [...new Set(names)].map((name) => () => {
      const field = all.get(name);
      if (!field)
        throw new ConfigurationError(
          `\`counters\` of ${where} names \`${name}\`, which is not a counter of ${model.name}${didYouMean(name, all.keys(), '.')}`,
        );
      if (!isOpen(field))
        throw new ConfigurationError(
          `\`counters\` of ${where} names \`${name}\`, but clients may not update \`${name}\` of ${model.name}.`,
        );
      return compileCounter(field, Object.keys(operations), where);
    }),
  );
}

function compileCounter(field: CompiledField, others: readonly string[], where: string): CompiledOperation {
  const { name } = field;
  if (others.includes(name))
    throw new ConfigurationError(
      `\`operations.${name}\` of ${where} has the name of a counter, which is stepped by \`POST /:id/${name}\`: give the operation another name, or leave the counter out of \`counters\`.`,
    );
  const summary = `Add to \`${name}\``;
  const handler = () => {}; // its chain has the write in the place of one
  const [operation] = compileOperations({ [name]: { group: 'change', summary, use: [readBody()], answer: 'record', handler } }, where);
  const description = `Adds \`add\` to \`${name}\` in one atomic write. A step beyond the bounds of \`${name}\` is refused with 422, and changes nothing.`;
  return { ...(operation as CompiledOperation), description, field };
}

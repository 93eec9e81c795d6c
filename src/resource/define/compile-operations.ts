import { ConfigurationError, type ProblemCode } from '../../errors.ts';
import { aSuccess } from '../../middleware/answer.ts';
import { caching } from '../../middleware/caching.ts';
import { checkBody } from '../../middleware/check-body.ts';
import { crossOrigin } from '../../middleware/cross-origin.ts';
import { containBody } from '../../middleware/exchange/contain-errors.ts';
import type { ResourceMiddleware } from '../../middleware/exchange/context.ts';
import { descriptorOf } from '../../middleware/exchange/descriptor.ts';
import { checkOrder } from '../../middleware/exchange/order.ts';
import { checkCodes, checkProblems } from '../../middleware/exchange/problem-codes.ts';
import { named } from '../../middleware/exchange/step.ts';
import { fields } from '../../middleware/fields.ts';
import { guards } from '../../middleware/guards.ts';
import type { Handler } from '../../middleware/handler.ts';
import { ifMatch } from '../../middleware/if-match.ts';
import { jsonBody } from '../../middleware/json-body.ts';
import { noContent } from '../../middleware/no-content.ts';
import { notModified } from '../../middleware/not-modified.ts';
import { page } from '../../middleware/page.ts';
import { problems } from '../../middleware/problems.ts';
import { record } from '../../middleware/record.ts';
import { requestId } from '../../middleware/request-id.ts';
import { typedQuery } from '../../middleware/typed-query.ts';
import { tryAll } from '../../mistakes.ts';
import { type CompiledAnswer, compileAnswer } from '../../model/compile/compile-answer.ts';
import { type CompiledQuery, compileTypedQuery } from '../../model/compile/compile-typed-query.ts';
import type { Fields } from '../../model/define/schema.ts';
import type { CompiledField, ObjectNode } from '../../model/node.ts';
import {
  aFunction,
  anArrayOf,
  anObject,
  aString,
  checkedLater,
  checkOptions,
  checkValue,
  type LegalOptions,
  oneOf,
  orUndefined,
  readOptions,
} from '../../options.ts';
import { type CustomMethod, type CustomOperation, customMethods } from './custom-operation.ts';
import type { Endpoint } from './endpoints.ts';
import { groupNames } from './operation-groups.ts';
import { isStandard, type OperationGroup } from './standard-operations.ts';

/** Functions that return a middleware. They are functions too, so a forgotten call would go unnoticed. */
const makers: ReadonlySet<unknown> = new Set([
  caching,
  checkBody,
  crossOrigin,
  fields,
  guards,
  ifMatch,
  jsonBody,
  noContent,
  notModified,
  page,
  problems,
  record,
  requestId,
  typedQuery,
]);

/** A custom operation with its defaults filled in. */
export interface CompiledOperation extends Endpoint {
  readonly name: string;
  readonly method: CustomMethod;
  /** The group that it belongs to. Undefined if it says none. */
  readonly group: OperationGroup | undefined;
  readonly summary: string;
  /** The middlewares of `use`. */
  readonly use: readonly ResourceMiddleware[];
  /** The middlewares of `use` before `If-Match`: up to the one that reads the body. Empty if none does. */
  readonly reading: readonly ResourceMiddleware[];
  /**
   * The middlewares of `use` after `If-Match`: the validation of the body and what follows it, or all if none reads a
   * body.
   */
  readonly checking: readonly ResourceMiddleware[];
  readonly handler: Handler<never>;
  /** Whether the definition has a handler. Otherwise its middlewares do the work. */
  readonly hasHandler: boolean;
  /** The body that a `jsonBody` in `use` reads: its schema, or any object. Undefined if none reads a body. */
  readonly body: ObjectNode | 'any' | undefined;
  /** Whether the body may be absent. */
  readonly isBodyOptional: boolean;
  /** The parameters of the query string. Undefined if the operation does not read it, and accepts any. */
  readonly query: CompiledQuery | undefined;
  /** The declared answer. */
  readonly answer: CompiledAnswer | undefined;
  /** The problems that the handler declares. */
  readonly problems: readonly ProblemCode[];
  /** The status of a successful answer. Undefined if it is 200 or 204. */
  readonly status: number | undefined;
  /** What it does, if that is more than the summary says. */
  readonly description?: string;
  /** The field for which a plug-in has it. Undefined for an operation of the application. */
  readonly field?: CompiledField;
}

/**
 * Whether the handler of an operation writes: it can be carried out in a transaction, which what middlewares of `use`
 * write cannot.
 */
export function hasWritingHandler({ method, hasHandler }: Pick<CompiledOperation, 'method' | 'hasHandler'>): boolean {
  return method !== 'GET' && hasHandler;
}

type Definition = CustomOperation<never, never>;

const isPath = (path: unknown): boolean =>
  typeof path === 'string' && /^(?:\/|(?:\/(?:(?!\.{1,2}(?:\/|$))[\w.~-]+|:[A-Za-z_]\w*))+)$/.test(path);

const legal: LegalOptions<Definition> = {
  method: orUndefined(oneOf(...customMethods)),
  group: orUndefined(oneOf(...groupNames)),
  path: orUndefined([
    isPath,
    'made of segments such as `/overdue` or `/:id/send`: letters, digits, `-`, `.`, `_`, `~`, and parameters with a colon, but not `.` or `..` alone',
  ]),
  summary: orUndefined(aString),
  use: orUndefined(anArrayOf('middlewares', aFunction[0])),
  handler: orUndefined(aFunction),
  query: checkedLater,
  answer: checkedLater,
  problems: checkedLater,
  status: orUndefined(aSuccess),
};

/**
 * Compiles the custom operations of a resource. Throws a {@link ConfigurationError} that names what is wrong and what
 * is legal.
 */
export function compileOperations(definitions: Readonly<Record<string, unknown>>, where: string): CompiledOperation[] {
  return tryAll(
    Object.entries(definitions).map(
      ([name, definition]) =>
        () =>
          compileOperation(name, definition, where),
    ),
  );
}

function compileOperation(name: string, definition: unknown, resource: string): CompiledOperation {
  const where = `\`operations.${name}\` of ${resource}`;
  checkOperationName(name, where);
  checkValue(where, definition, anObject('an object: { summary, handler, … }'));
  const options = definition as Definition;
  const given = (...names: readonly (keyof Definition)[]) => readOptions(options, names, legal, where);
  const [, , { reading, checking, body, isBodyOptional }, , query, compiledAnswer] = tryAll([
    () => checkOptions(options, legal, where),
    () => checkParameters(given('path'), where),
    () => compileUse(given('use', 'query'), where),
    () => requireAnswer(given('handler', 'use'), where),
    () => (options.query === undefined ? undefined : compileTypedQuery(options.query as Fields, `\`query\` of ${where}`)),
    () => (options.answer === undefined ? undefined : compileAnswer(options.answer, where)),
    () => checkCodes(options.problems === undefined ? [] : options.problems, where),
    () => checkStatus(given('status'), where),
    () => checkGroup(given('method', 'group'), where),
  ]);
  const { method = 'POST', group, path = `/:id/${name}`, summary = name, handler = answersNothing, problems = [], status } = options;
  return {
    name,
    method,
    group,
    path,
    summary,
    use: [...((options.use ?? []) as readonly ResourceMiddleware[])],
    reading,
    checking,
    handler,
    hasHandler: options.handler !== undefined,
    body,
    isBodyOptional,
    query,
    answer: compiledAnswer,
    problems: [...problems],
    status,
  };
}

/** The handler of an operation whose middlewares answer. */
function answersNothing(): void {}

function checkOperationName(name: string, where: string): void {
  if (!/^[A-Za-z][\w-]*$/.test(name))
    throw new ConfigurationError(`${where}: a name is made of letters, digits, \`-\` and \`_\`, and begins with a letter.`);
  if (isStandard(name))
    throw new ConfigurationError(`${where} has the name of a standard operation: list that in \`ops\`, or give yours another name.`);
}

function checkParameters({ path = '/' }: Definition, where: string): void {
  const parameters: readonly string[] = path.match(/:\w+/g) ?? [];
  if (path.startsWith('/:') && parameters[0] !== ':id')
    throw new ConfigurationError(`\`path\` of ${where}: a parameter in the first segment addresses a record, and must be called \`:id\`.`);
  if (new Set(parameters).size < parameters.length)
    throw new ConfigurationError(`\`path\` of ${where}: parameters must have different names.`);
  if (parameters.includes(':__proto__'))
    throw new ConfigurationError(`\`path\` of ${where}: no parameter can be called \`:__proto__\`, because \`ctx.params\` cannot have it.`);
}

/** Refuses a status that has no body for an operation that may have one. */
function checkStatus({ status, answer }: Definition, where: string): void {
  if (status === 204 && answer !== 'none')
    throw new ConfigurationError(`\`status\` of ${where} can be 204 with \`answer: 'none'\` only: such an answer has no body.`);
}

function checkGroup({ method, group }: Definition, where: string): void {
  if (method === 'GET' && group !== undefined && group !== 'read')
    throw new ConfigurationError(`\`group\` of ${where} can only be \`'read'\`: a GET changes nothing.`);
}

/** Refuses an operation that would never answer. */
function requireAnswer({ handler, use = [] }: Definition, where: string): void {
  if (handler === undefined && use.length === 0)
    throw new ConfigurationError(`${where} does nothing: it needs a \`handler\`, or middlewares in \`use\`.`);
}

function compileUse(
  { use = [], query }: Definition,
  where: string,
): Pick<CompiledOperation, 'reading' | 'checking' | 'body' | 'isBodyOptional'> {
  const middlewares = use as readonly ResourceMiddleware[];
  for (const middleware of middlewares) checkProblems(middleware, `a middleware in \`use\` of ${where}`);
  checkOrder(middlewares, `\`use\` of ${where}`);
  const uncalled = middlewares.find((middleware) => makers.has(middleware));
  if (uncalled) throw new ConfigurationError(`\`use\` of ${where} has \`${uncalled.name}\` itself: call it, \`${uncalled.name}()\`.`);
  checkQueries(middlewares, query !== undefined, where);
  const bodies = middlewares.flatMap((middleware) => descriptorOf(middleware)?.body ?? []);
  const isBodyOptional = bodies.some(({ isOptional }) => isOptional);
  return { ...takeApart(middlewares, where), body: bodies.at(-1)?.schema, isBodyOptional };
}

/** Refuses two middlewares that read the whole query string: each would refuse the parameters of the other. */
function checkQueries(use: readonly ResourceMiddleware[], hasQuery: boolean, where: string): void {
  const leaves = new Set(use.flatMap((middleware) => descriptorOf(middleware)?.leaves ?? []));
  if (leaves.has('typedQuery'))
    throw new ConfigurationError(`\`use\` of ${where} has \`typedQuery\`: give its fields to \`query\`, so that they are described.`);
  const other = hasQuery && (['listQuery', 'filterQuery'] as const).find((slot) => leaves.has(slot));
  if (other)
    throw new ConfigurationError(
      `${where} has a \`query\`, and \`${other}\` in \`use\`: each of them would refuse the parameters of the other.`,
    );
}

/** Divides `use` where the body is read: `If-Match` comes after that, and before the validation of the body. */
function takeApart(use: readonly ResourceMiddleware[], where: string): Pick<CompiledOperation, 'reading' | 'checking'> {
  const [first, second] = use.flatMap((middleware, index) => {
    const parts = descriptorOf(middleware)?.body?.parts;
    return parts ? [{ index, ...parts }] : [];
  });
  if (second) throw new ConfigurationError(`\`use\` of ${where} reads the body twice: it can have one \`jsonBody\`.`);
  if (!first) return { reading: [], checking: use.map(awaitNext) };
  const { index, read, check } = first;
  return {
    reading: [...use.slice(0, index).map(awaitNext), read],
    checking: [...(check ? [check] : []), ...use.slice(index + 1).map(awaitNext)],
  };
}

/**
 * Awaits the promises of `next()` that a middleware of the application has started and not awaited. Otherwise they
 * could reject unhandled, which ends the process. It carries its name and its problems, and may fill any slot as well.
 */
function awaitNext(middleware: ResourceMiddleware): ResourceMiddleware {
  if (descriptorOf(middleware)) return middleware;
  const { name, problems = [] } = middleware;
  const awaiting = named(name, async (ctx, next) => {
    ctx.exchange?.throwIfGivenUp();
    containBody(ctx);
    const running = new Set<Promise<unknown>>();
    await middleware(ctx, () => {
      const below = next();
      const end = () => running.delete(below);
      running.add(below);
      below.then(end, end);
      return below;
    });
    await Promise.all(running);
  });
  return Object.assign(awaiting, { problems });
}

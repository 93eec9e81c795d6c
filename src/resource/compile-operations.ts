import { ConfigurationError } from '../errors.ts';
import { caching } from '../middleware/caching.ts';
import { checkBody } from '../middleware/check-body.ts';
import { crossOrigin } from '../middleware/cross-origin.ts';
import { fields } from '../middleware/fields.ts';
import { guards } from '../middleware/guards.ts';
import type { Handler } from '../middleware/handler.ts';
import { ifMatch } from '../middleware/if-match.ts';
import { bodyOf, jsonBody, stepsOf } from '../middleware/json-body.ts';
import { noContent } from '../middleware/no-content.ts';
import { notModified } from '../middleware/not-modified.ts';
import { page } from '../middleware/page.ts';
import { canAnswer, checkProblems, problemsOf } from '../middleware/parts/can-answer.ts';
import { containBody } from '../middleware/parts/contain-errors.ts';
import type { ResourceMiddleware } from '../middleware/parts/context.ts';
import { problems } from '../middleware/problems.ts';
import { record } from '../middleware/record.ts';
import { requestId } from '../middleware/request-id.ts';
import { type CompiledAnswer, compileAnswer } from '../model/compile/compile-answer.ts';
import type { ObjectNode } from '../model/node.ts';
import { aFunction, anArrayOf, aText, checkedLater, checkOptions, type LegalOptions, oneOf, orUndefined } from '../options.ts';
import { type CustomMethod, type CustomOperation, customMethods } from './custom-operation.ts';
import { operations } from './resource-options.ts';
import { type Place, standardPlaces } from './standard-places.ts';

/** Factories of middlewares, which could be passed by mistake without being called. */
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
]);

/** A custom operation with its defaults filled in. */
export interface CompiledOperation extends Place {
  readonly name: string;
  readonly method: CustomMethod;
  readonly summary: string;
  /** Its own middlewares that stand before `If-Match`: as far as the body is read. */
  readonly reading: readonly ResourceMiddleware[];
  /** Those that stand behind it: what validates the body, and what follows. */
  readonly checking: readonly ResourceMiddleware[];
  readonly handler: Handler<never>;
  /** The body that a `jsonBody` in `use` reads, if one does: its schema, or any object. */
  readonly body: ObjectNode | 'any' | undefined;
  /** What it answers, where that is known. */
  readonly answer: CompiledAnswer | undefined;
}

const isPath = (path: unknown): boolean =>
  typeof path === 'string' && /^(?:\/|(?:\/(?:(?!\.{1,2}(?:\/|$))[\w.~-]+|:[A-Za-z_]\w*))+)$/.test(path);

const legal: LegalOptions<CustomOperation<never, never>> = {
  method: orUndefined(oneOf(...customMethods)),
  path: orUndefined([
    isPath,
    'made of segments such as `/overdue` or `/:id/send`: letters, digits, `-`, `.`, `_`, `~`, and parameters with a colon, but not `.` or `..` alone',
  ]),
  summary: orUndefined(aText),
  use: orUndefined(anArrayOf('middlewares', aFunction[0])),
  handler: orUndefined(aFunction),
  answer: checkedLater,
};

/**
 * Compiles the custom operations of a resource, which serves the standard ones in `ops`. Throws a {@link ConfigurationError} that names what
 * is wrong and what is legal.
 */
export function compileOperations(
  definitions: Readonly<Record<string, unknown>>,
  ops: readonly (keyof typeof standardPlaces)[],
  where: string,
): CompiledOperation[] {
  const compiled = Object.entries(definitions).map(([name, definition]) => compileOperation(name, definition, where));
  const places = [...ops.map((name) => ({ name, ...standardPlaces[name] })), ...compiled];
  for (const [index, place] of places.entries()) {
    for (const earlier of places.slice(0, index)) checkPlaces(earlier, place, where);
  }
  return compiled;
}

function compileOperation(name: string, definition: unknown, where: string): CompiledOperation {
  const what = `\`operations.${name}\` of ${where}`;
  if (!/^[A-Za-z][\w-]*$/.test(name)) {
    throw new ConfigurationError(`${what}: a name is made of letters, digits, \`-\` and \`_\`, and begins with a letter.`);
  }
  if ((operations as readonly string[]).includes(name)) {
    throw new ConfigurationError(`${what} has the name of a standard operation: list that in \`ops\`, or give yours another name.`);
  }
  if (typeof definition !== 'object' || definition === null)
    throw new ConfigurationError(`${what} must be an object: { summary, handler, … }.`);
  checkOptions<CustomOperation<never, never>>(definition, legal, what);
  checkTogether(definition, what);
  const { method = 'POST', path = `/:id/${name}`, summary = name, use = [] } = definition as CustomOperation<never, never>;
  const { handler = answersNothing, answer } = definition as CustomOperation<never, never>;
  const middlewares = use as readonly ResourceMiddleware[];
  const body = middlewares.map(bodyOf).findLast((one) => one !== undefined);
  return {
    name,
    method,
    path,
    summary,
    ...takeApart(middlewares, what),
    handler,
    body,
    answer: answer === undefined ? undefined : compileAnswer(answer, what),
  };
}

/** Where the body is read, `If-Match` follows, and then what is wrong with the body's content. */
function takeApart(use: readonly ResourceMiddleware[], what: string): Pick<CompiledOperation, 'reading' | 'checking'> {
  const [first, second] = use.flatMap((middleware, index) => {
    const steps = stepsOf(middleware);
    return steps ? [{ index, ...steps }] : [];
  });
  if (second) throw new ConfigurationError(`\`use\` of ${what} reads the body twice: it can have one \`jsonBody\`.`);
  if (!first) return { reading: use.map(awaitNext), checking: [] };
  const { index, read, check } = first;
  return {
    reading: [...use.slice(0, index).map(awaitNext), read],
    checking: [...(check ? [check] : []), ...use.slice(index + 1).map(awaitNext)],
  };
}

/**
 * Awaits the promises of `next()` that a user's middleware has started and not awaited. Otherwise they could reject unhandled, which ends
 * the process.
 */
function awaitNext(middleware: ResourceMiddleware): ResourceMiddleware {
  return canAnswer(
    (method) => problemsOf(middleware, method),
    async function awaitNext(ctx, next) {
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
    },
  );
}

/** The handler of an operation whose middlewares answer. */
function answersNothing(): void {}

/** Checks what no option says alone. */
function checkTogether({ path = '', use = [], handler }: CustomOperation<never, never>, what: string): void {
  const parameters = path.match(/:\w+/g) ?? [];
  if (path.startsWith('/:') && parameters[0] !== ':id') {
    throw new ConfigurationError(`\`path\` of ${what}: a parameter in the first place addresses a record, and is called \`:id\`.`);
  }
  if (new Set(parameters).size < parameters.length)
    throw new ConfigurationError(`\`path\` of ${what}: each parameter needs a name of its own.`);
  for (const middleware of use) checkProblems(middleware, `a middleware in \`use\` of ${what}`);
  const uncalled = use.find((middleware) => makers.has(middleware));
  if (uncalled) throw new ConfigurationError(`\`use\` of ${what} has \`${uncalled.name}\` itself: call it, \`${uncalled.name}()\`.`);
  if (handler === undefined && use.length === 0)
    throw new ConfigurationError(`${what} does nothing: it needs a \`handler\`, or middlewares in \`use\`.`);
}

/** Two operations at one place, or at paths that only the names of parameters tell apart, would leave it to chance which one runs. */
function checkPlaces(first: Place & { readonly name: string }, second: Place & { readonly name: string }, where: string): void {
  if (shapeOf(first.path) !== shapeOf(second.path)) return;
  const both = `\`${first.name}\` and \`${second.name}\` of ${where}`;
  if (first.method === second.method)
    throw new ConfigurationError(`${both} are both ${first.method} \`${second.path}\`: give one of them another \`path\` or \`method\`.`);
  if (first.path !== second.path)
    throw new ConfigurationError(`${both} have paths that differ only in the names of parameters: \`${first.path}\`, \`${second.path}\`.`);
}

function shapeOf(path: string): string {
  return path.replaceAll(/:\w+/g, ':');
}

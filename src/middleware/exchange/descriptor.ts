import type { ProblemCode } from '../../errors.ts';
import type { ObjectNode } from '../../model/node.ts';
import type { AnswersProblems, Context, ResourceMiddleware } from './context.ts';
import type { WritePart } from './write-part.ts';

/** Does something before the rest of a chain runs. */
export type Step = (ctx: Context) => void | Promise<void>;

/** A slot by which one middleware of a chain passes on its result to another. */
export type Passed = 'created' | 'changes' | 'listQuery' | 'filterQuery' | 'typedQuery' | 'page' | 'record' | 'affected' | 'result';

/** How a middleware reads or checks the body of a request. */
interface BodyPart {
  /** The schema of the body, or `'any'`. */
  readonly schema: ObjectNode | 'any';
  /** @default false */
  readonly isOptional?: boolean;
  /** Reading and validation as two middlewares, so that a chain can place `ifMatch` between them. */
  readonly parts?: { readonly read: ResourceMiddleware; readonly check?: ResourceMiddleware };
}

/** What is known of a middleware of the library. */
export interface Descriptor {
  /**
   * The codes of the problems that it can answer. The OpenAPI description of an operation collects them from the
   * operation's chain.
   */
  readonly problems?: NonNullable<AnswersProblems['problems']>;
  /** What it does, if it does nothing after `next()`. */
  readonly step?: Step;
  /** The slots that it cannot do without. */
  readonly needs?: readonly Passed[];
  /** The slots that it fills. */
  readonly leaves?: readonly Passed[];
  /** What it knows of the records that it writes. */
  readonly writes?: WritePart;
  readonly body?: BodyPart;
  /** Whether it is what `guards` or `setReplays` returns. */
  readonly kind?: 'guards' | 'replays';
}

/** By identity: a wrapper that copies the properties of a middleware is not the middleware, and may be a guard. */
const descriptors = new WeakMap<object, Descriptor>();

/** Adds to what is known of a middleware. */
export function described(known: Descriptor, middleware: ResourceMiddleware): ResourceMiddleware {
  const before = descriptors.get(middleware);
  descriptors.set(middleware, before ? { ...before, ...known } : known);
  return middleware;
}

/** What is known of a middleware. Undefined if it is one of the application. */
export function descriptorOf(middleware: ResourceMiddleware): Descriptor | undefined {
  return descriptors.get(middleware);
}

/** Whether a middleware is what `guards` returns. */
export function isGuards(middleware: ResourceMiddleware): boolean {
  return descriptorOf(middleware)?.kind === 'guards';
}

/**
 * The codes of the problems that a middleware or a function of the application can answer, for a method such as `GET`.
 * The application sets them as a property.
 */
export function problemsOf(carrier: AnswersProblems, method: string): readonly ProblemCode[] {
  return [...codesOf(descriptors.get(carrier)?.problems, method), ...codesOf(carrier.problems, method)];
}

/** The codes in a property `problems`. */
export function codesOf(problems: AnswersProblems['problems'] = [], method: string): readonly ProblemCode[] {
  return typeof problems === 'function' ? problems(method) : problems;
}

import { ConfigurationError } from '../../errors.ts';
import { didYouMean, listNames } from '../../hints.ts';
import type { CompiledModel } from '../../model/compile/compile-model.ts';
import { viewOf } from '../../model/compile/view-of.ts';
import { isRuleName } from '../../model/define/policy.ts';
import { isObject } from '../../model/value/plain-object.ts';
import type { KeptView } from '../../mongo/shown-record.ts';

/** A question about the principal. Only `true` means yes. It may be async. */
export type CallerRule<Principal = unknown> = (principal: Principal) => boolean | Promise<boolean>;

/** The rules of a service by the names that the policies of its models use. */
export type CallerRules<Principal = unknown> = Readonly<Record<string, CallerRule<Principal>>>;

/** Throws a {@link ConfigurationError} for a rule that is not a function of the principal alone. */
export function checkRuleFunctions(rules: unknown, where: string): asserts rules is CallerRules<never> {
  if (!isObject(rules) || Array.isArray(rules))
    throw new ConfigurationError(`\`rules\` of ${where} must be an object with a function for each name.`);
  for (const [name, rule] of Object.entries(rules)) {
    if (!isRuleName(name))
      throw new ConfigurationError(
        `\`rules\` of ${where}: \`${name}\` must be made of letters, digits, \`-\` and \`_\`, and begin with a letter.`,
      );
    if (typeof rule !== 'function') throw new ConfigurationError(`Rule \`${name}\` of ${where} must be a function of the principal.`);
    if (rule.length > 1)
      throw new ConfigurationError(
        `Rule \`${name}\` of ${where} takes ${rule.length} arguments: a rule is about the principal alone, and about no record and no request.`,
      );
  }
}

/** Throws a {@link ConfigurationError} for a rule that a model names and the service does not have. */
export function checkModelRules({ name, rules }: CompiledModel, known: readonly string[], where: string): void {
  const unknown = rules.find((rule) => !known.includes(rule));
  if (unknown !== undefined)
    throw new ConfigurationError(
      `A policy of model \`${name}\` names the rule \`${unknown}\`, which ${where} does not have${didYouMean(unknown, known, known.length > 0 ? `. It has ${listNames(known)}.` : '.')}`,
    );
}

/** A model of which nobody has asked yet what the caller sees. */
export class Unasked extends Error {
  readonly model: CompiledModel;

  constructor(model: CompiledModel) {
    super(`The rules of ${model.name} were not asked.`);
    this.model = model;
  }
}

/** What the rules of a service say about the caller of a request. Each is asked once, when something needs it. */
export class AskedRules {
  readonly #rules: CallerRules;
  readonly #principal: unknown;
  readonly #answers = new Map<string, boolean | Promise<boolean>>();

  constructor(rules: CallerRules, principal: unknown) {
    this.#rules = rules;
    this.#principal = principal;
  }

  /** The rules that were asked until now, and those of them that hold. Undefined if none was asked. */
  get view(): KeptView | undefined {
    if (this.#answers.size === 0) return undefined;
    const asked = [...this.#answers.keys()].sort();
    return { asked, held: asked.filter((name) => this.#answers.get(name) === true) };
  }

  /** The same rules about the same caller, of which none was asked. */
  renew(): AskedRules {
    return new AskedRules(this.#rules, this.#principal);
  }

  /** Whether the same rules hold as in a view. */
  async isIn({ asked, held }: KeptView): Promise<boolean> {
    const now = await this.ask(asked);
    return asked.every((name) => now.has(name) === held.includes(name));
  }

  /** Those of some rules that hold. No rule holds for an anonymous caller, and none that the service does not have. */
  ask(names: readonly string[]): ReadonlySet<string> | Promise<ReadonlySet<string>> {
    const answers = names.map((name) => this.#ask(name));
    const held = (known: readonly boolean[]) => new Set(names.filter((_name, index) => known[index]));
    return answers.some((answer) => typeof answer !== 'boolean') ? Promise.all(answers).then(held) : held(answers as boolean[]);
  }

  /** A model as the caller sees it. Throws {@link Unasked} if its rules were not asked. */
  seen(model: CompiledModel): CompiledModel {
    if (!model.needsView) return model;
    const unknown = model.rules.some((name) => typeof this.#answers.get(name) !== 'boolean');
    if (unknown) throw new Unasked(model);
    return viewOf(model, new Set(model.rules.filter((name) => this.#answers.get(name) === true)));
  }

  #ask(name: string): boolean | Promise<boolean> {
    const known = this.#answers.get(name);
    if (known !== undefined) return known;
    const answer = this.#answerOf(name);
    this.#answers.set(name, answer);
    if (typeof answer === 'boolean') return answer;
    const settled = answer.then((yes) => {
      this.#answers.set(name, yes);
      return yes;
    });
    settled.catch(() => undefined); // another rule may have thrown before anybody awaits this one
    this.#answers.set(name, settled);
    return settled;
  }

  #answerOf(name: string): boolean | Promise<boolean> {
    const rule = Object.hasOwn(this.#rules, name) ? this.#rules[name] : undefined;
    if (!rule || this.#principal === undefined) return false;
    try {
      const answer: unknown = rule(this.#principal);
      if (!isThenable(answer)) return answer === true;
      return Promise.resolve(answer).then(
        (yes) => yes === true,
        (error: unknown) => fail(name, error),
      );
    } catch (error) {
      return fail(name, error);
    }
  }
}

function isThenable(value: unknown): value is PromiseLike<unknown> {
  return typeof (value as { readonly then?: unknown } | null | undefined)?.then === 'function';
}

/** What a rule throws is a mistake of the application (500), whatever status it has. */
function fail(name: string, error: unknown): never {
  throw new Error(`Rule \`${name}\` threw instead of answering.`, { cause: error });
}

/** The part of Koa's context that knows the rules. */
interface Asking {
  readonly rules?: AskedRules | undefined;
}

const nobody = new AskedRules({}, undefined);

/** The rules of a request. Without any, none holds. */
export function rulesOf({ rules }: Asking): AskedRules {
  return rules ?? nobody;
}

/**
 * Calls a function that needs models as the caller sees them, again for each model of which nobody has asked yet.
 */
export async function withViews<Result>(ctx: Asking, run: (see: (model: CompiledModel) => CompiledModel) => Result): Promise<Result> {
  const rules = rulesOf(ctx);
  for (;;) {
    try {
      return run((model) => rules.seen(model));
    } catch (error) {
      if (!(error instanceof Unasked)) throw error;
      await rules.ask(error.model.rules);
    }
  }
}

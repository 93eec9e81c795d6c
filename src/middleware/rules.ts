import type { Called, ResourceMiddleware } from './exchange/context.ts';
import { step } from './exchange/step.ts';
import { AskedRules, type CallerRules, checkRuleFunctions } from './views/asked-rules.ts';

/**
 * Answers the rules that the policies of models name (`policy: { read: 'staff' }`), by functions of `ctx.principal`.
 * Only `true` means yes, and a rule may be async. Each is asked at most once in a request, if a middleware below needs
 * it. For an anonymous request none is asked, and none holds. One that throws is a 500. Place it below `authenticate`.
 *
 * Without it, no rule holds. Nor does one that it does not have.
 *
 * @example
 * app.use(authenticate((ctx) => users.get(ctx.get('authorization'))));
 * app.use(rules({ staff: (user: User) => user.isAdmin === true }));
 * router.get('/orders/:id', findRecord(Order, { db }), record()); // the staff sees more of it
 */
export function rules(functions: Readonly<Record<string, Called<[principal: never], boolean | Promise<boolean>>>>): ResourceMiddleware {
  checkRuleFunctions(functions, '`rules`');
  return step({ problems: ['internal'] }, function rules(ctx) {
    ctx.rules = new AskedRules(functions as CallerRules, ctx.principal);
  });
}

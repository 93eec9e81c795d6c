import fc from 'fast-check';
import { stringify } from 'lossless-json';
import { BSON } from 'mongodb';
import { parseJson } from '../../../src/http/json.ts';
import { compileModel } from '../../../src/model/compile/compile-model.ts';
import { copyValue } from '../../../src/model/value/copy-value.ts';
import { compileCreate, compilePatch, compilePut } from '../../../src/model/write/compile-writes.ts';
import type { Changes } from '../../../src/model/write/plan-changes.ts';
import { compileDrafts } from '../../../src/model/write/plan-draft.ts';
import { cases } from '../../support/fuzzing/fuzz.ts';
import { buildModel, type PlainObject, toDocumentFields } from '../../support/fuzzing/random-model.ts';
import { bodyOf, scenario } from '../../support/fuzzing/random-write.ts';

it('a hook that changes nothing leaves equal changes, and one that removes a key leaves the others, whatever the model and the body', () => {
  let read = 0;
  fc.assert(
    fc.property(scenario, ({ model: spec, resources, steps }) => {
      const random = compileModel(buildModel(spec.fields, spec));
      const own = compileDrafts(random);
      for (const step of steps) {
        const rules = resources[step.resource];
        const body = parseJson(stringify(bodyOf(spec, rules, step)) as string);
        const server = toDocumentFields(spec.fields, rules.serverFields as PlainObject);
        const compile = { create: compileCreate, patch: compilePatch, put: compilePut, delete: undefined }[step.operation];
        const plan =
          compile && planOf(() => (compile as typeof compileCreate)(random, rules)(body, step.operation === 'create' ? server : undefined));
        if (plan === undefined) continue;
        read++;
        if (step.operation === 'create') {
          const same = own.readRecord(copyValue(random.hydrate(plan)), plan, true);
          expect(BSON.serialize(same)).toEqual(BSON.serialize(plan));
          continue;
        }
        const changes = plan as unknown as Changes;
        const draft = copyValue(own.showChanges(changes)) as Record<string, unknown>;
        expect(own.readChanges(draft, changes)).toBe(changes);
        const [removed] = Object.keys(draft);
        if (removed === undefined) continue;
        delete draft[removed];
        const isKept = ({ path }: { readonly path: string }) => path.split('.')[0] !== removed;
        const kept = { ...changes, assignments: changes.assignments.filter(isKept), embedded: changes.embedded.filter(isKept) };
        expect(own.readChanges(draft, changes)).toEqual(kept);
      }
    }),
    cases(60),
  );
  expect(read).toBeGreaterThan(100);
});

function planOf(plan: () => Record<string, unknown>): Record<string, unknown> | undefined {
  try {
    return plan();
  } catch {
    return undefined;
  }
}

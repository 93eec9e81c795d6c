import { didYouMean, listNames } from '../../../hints.ts';
import type { Api, Model } from '../../../index.ts';
import type { ModelInput } from '../../../model/compile/compile-model.ts';
import { UsageError } from '../usage-error.ts';

/** The names of the models and resources to choose. Without names, all models are chosen. */
interface Chosen {
  readonly model?: readonly string[];
  readonly resource?: readonly string[];
}

/** Chooses models of an api: those of its resources, and its other models, each once. */
export function chooseModels({ indexing, description }: Api, { model: names, resource: paths }: Chosen): ModelInput[] {
  const { resources, idempotency } = description;
  const { model: keys } = (idempotency ?? {}) as { readonly model?: Model }; // its records are the library's own
  const models = new Map<string, ModelInput>();
  for (const model of [...resources.map(({ model }) => model), ...indexing.models.filter((one) => one !== keys)])
    if (!models.has(model.name)) models.set(model.name, model);
  if (!names && !paths) return [...models.values()];
  for (const name of names ?? []) refuseUnknown('model', name, [...models.keys()]);
  for (const path of paths ?? [])
    refuseUnknown(
      'resource',
      path,
      resources.map((resource) => resource.path),
    );
  const chosen = new Set([...(names ?? []), ...resources.filter(({ path }) => paths?.includes(path)).map(({ model }) => model.name)]);
  return [...models.values()].filter(({ name }) => chosen.has(name));
}

function refuseUnknown(what: string, name: string, legal: readonly string[]): void {
  if (!legal.includes(name))
    throw new UsageError(`The api has no ${what} \`${name}\`${didYouMean(name, legal, '.')} It has ${listNames(legal)}.`);
}

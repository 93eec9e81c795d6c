import { keepLatest } from '../../keep-latest.ts';
import { tabulateFields } from '../node.ts';
import { type CompiledModel, compileCallersView } from './compile-model.ts';
import { narrowFields } from './field-rules.ts';
import { compileClientFields } from './query-fields.ts';

/** Most views of one model that are kept: callers may have 256 sets of rules, and have a handful. */
const mostViews = 32;

const views = new WeakMap<CompiledModel, (held: string) => CompiledModel>();

/**
 * The model as callers see it for whom only these rules hold. A field outside their view is private in it, so that
 * everything which hides private fields hides it too. A model whose policies name no rule has one view: itself.
 */
export function viewOf(model: CompiledModel, held: ReadonlySet<string>): CompiledModel {
  if (!model.needsView) return model;
  const known = views.get(model) ?? keepLatest((own) => compileView(model, own.split(' ')), mostViews);
  views.set(model, known);
  return known(model.rules.filter((rule) => held.has(rule)).join(' '));
}

function compileView(model: CompiledModel, names: readonly string[]): CompiledModel {
  const held = names.filter((name) => name !== '');
  const root = narrowFields(model.root, new Set(held));
  const fieldTable = tabulateFields(root);
  const clientFields = compileClientFields(fieldTable);
  const parts = new Map([...model.parts].filter(([part, made]) => part.isInView(made, fieldTable)));
  return { ...model, held, needsView: false, parts, ...compileCallersView(root, { ...model, fieldTable, clientFields }) };
}

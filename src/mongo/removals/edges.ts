import type { Edge, References } from '../relations/references.ts';

/** What a reference does when the record goes that it leads to. */
const actions = { cascade: ['cascade'], clear: ['nullify', 'pull'], restrict: ['restrict'] } as const;

/** The references to the records of a collection that take their holders along, are taken away, or forbid a delete. */
export function edgesTo(references: References, collection: string, does: keyof typeof actions): readonly Edge[] {
  const wanted: readonly unknown[] = actions[does];
  return references.incoming({ collection }).filter(({ field }) => wanted.includes(field.ref.onDelete));
}

/** Whether a reference is taken away when the record goes that it leads to. */
export function isClearing({ field }: Edge): boolean {
  const clearing: readonly unknown[] = actions.clear;
  return clearing.includes(field.ref.onDelete);
}

/** References, for messages. Private ones are not named. */
export function namesOf(edges: readonly Edge[]): string[] {
  return [...new Set(edges.map(({ field, holder }) => (field.isPrivate ? 'other records' : `\`${field.name}\` of ${holder.model.name}`)))];
}

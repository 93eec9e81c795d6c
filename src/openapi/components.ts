import type { DocumentPart } from './document.ts';

/** The name of the schema of problem documents: no object may have it. */
export const problemName = 'Problem';

/** The reference to it, for schemas that are made before the components. */
export const problemReference: DocumentPart = { $ref: `#/components/schemas/${problemName}` };

type Kind = 'schemas' | 'responses' | 'parameters' | 'headers';

/** The parts that operations share. Each is published once, and only if something refers to it. */
export class Components {
  readonly #parts = new Map<Kind, Map<string, DocumentPart>>();

  /**
   * Publishes a part under a name, once, and returns the reference to it. A function makes the part only if it is not
   * published yet.
   */
  refer(kind: Kind, name: string, part: DocumentPart | (() => DocumentPart)): DocumentPart {
    const parts = this.#parts.get(kind) ?? new Map<string, DocumentPart>();
    if (!parts.has(name)) this.#parts.set(kind, parts.set(name, typeof part === 'function' ? part() : part));
    return { $ref: `#/components/${kind}/${name}` };
  }

  /** All parts by kind, in alphabetical order, so that a change of the api changes few lines of the document. */
  all(): Readonly<Record<string, Readonly<Record<string, DocumentPart>>>> {
    return Object.fromEntries([...this.#parts].sort(byKey).map(([kind, parts]) => [kind, Object.fromEntries([...parts].sort(byKey))]));
  }
}

function byKey([a]: readonly [string, unknown], [b]: readonly [string, unknown]): number {
  return a < b ? -1 : 1;
}

import { firstNames } from '../../hints.ts';
import type { CompiledModel } from '../../model/compile/compile-model.ts';
import { isObject } from '../../model/value/plain-object.ts';
import type { ServerError } from './server-error.ts';

/** What the database says of a document that the validator of its collection refuses (code 121). */
interface Refusal {
  readonly failingDocumentId?: unknown;
  readonly details?: unknown;
}

/** The code and the details are those of its cause. */
class RefusedByValidator extends Error {
  override readonly name = 'RefusedByValidator';
  readonly code: number;
  readonly errInfo: unknown;

  constructor(message: string, cause: ServerError, errInfo: unknown) {
    super(message, { cause });
    this.code = cause.code;
    this.errInfo = errInfo;
  }
}

/**
 * The error of a write that the validator of the collection refuses. The driver's message says no more than "Document
 * failed validation"; this one names the rules and the record, and no value of it.
 */
export function refusedByValidator(cause: ServerError, { collection, id }: CompiledModel): Error {
  const errInfo = (cause as { readonly errInfo?: Refusal }).errInfo ?? {};
  const record = errInfo.failingDocumentId === undefined ? 'a record' : `the record ${showId(id.leaf.toJson, errInfo.failingDocumentId)}`;
  const rules = firstNames(new Set(rulesIn(errInfo.details, '')));
  const broken = rules.length > 0 ? `: ${rules.join(', ')}` : '';
  return new RefusedByValidator(`The validator of the collection \`${collection}\` refuses ${record}${broken}.`, cause, errInfo);
}

/** A validator may be that of a collection whose ids are of other types. */
function showId(toJson: (stored: unknown) => unknown, id: unknown): string {
  try {
    return String(toJson(id));
  } catch {
    return String(id);
  }
}

/** The rules at the leaves of the explanation, each with the path of the field: `` `total` breaks `minimum` ``. */
function rulesIn(node: unknown, path: string): string[] {
  if (Array.isArray(node)) return node.flatMap((one) => rulesIn(one, path));
  if (!isObject(node)) return [];
  const { propertyName, itemIndex, operatorName, missingProperties, additionalProperties } = node as Readonly<Record<string, unknown>>;
  const at = [path, propertyName, itemIndex].filter((part) => part !== undefined && part !== '').join('.');
  const keys = [missingProperties, additionalProperties].find(Array.isArray);
  if (keys) return keys.map((key) => breaks([at, key].filter(Boolean).join('.'), operatorName));
  const nested = Object.entries(node).flatMap(([key, value]) => (holdsRules(key) ? rulesIn(value, at) : []));
  return nested.length === 0 && typeof operatorName === 'string' ? [breaks(at, operatorName)] : nested;
}

/** The members in which the database explains a rule by others: `details`, `propertiesNotSatisfied` and the like. */
function holdsRules(key: string): boolean {
  return key === 'details' || key.endsWith('NotSatisfied');
}

function breaks(path: string, rule: unknown): string {
  return path === '' ? `\`${rule}\` does not hold` : `\`${path}\` breaks \`${rule}\``;
}

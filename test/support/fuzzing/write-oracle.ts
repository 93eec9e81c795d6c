import {
  initial,
  isObject,
  isProtected,
  isRequired,
  isWritable,
  join,
  type ModelSpec,
  mergesKeys,
  type Rules,
  stored,
  type WriteOperation,
  withFields,
} from './field-oracle.ts';
import { type FieldSpec, type Kind, leaves, type Plain, type PlainObject } from './random-model.ts';

/*
 * The write rules of `resource-rest-api.md` ("Create rules", "Patch rules", "Put rules", "Conditional requests") and
 * `decisions.md`, once more and independently of `src/`: slow, by recursion over plain objects, each rule beside its
 * sentence.
 */

/** What a write does to the fields: those of the record afterwards, or why it is refused. */
export interface Effect {
  readonly fields: PlainObject;
  /** 422 before the record is looked for: dotted paths. */
  readonly invalid: ReadonlySet<string>;
  /** 422 when the record was found and its revision matches: embedded objects that are not there and not complete. */
  readonly incomplete: ReadonlySet<string>;
  /** Those of them that the client can never complete: it is open whether the objects around them are named too. */
  readonly unattainable: ReadonlySet<string>;
  /** A required value that the client cannot send is missing: the deployer's fault. */
  readonly unsendable: ReadonlySet<string>;
  /** Whether no key gets a value and no object comes into being: the body names nothing, or objects without keys. */
  readonly isNothing: boolean;
}

interface Writing {
  readonly operation: WriteOperation;
  readonly rules: Rules;
  readonly invalid: Set<string>;
  readonly incomplete: Set<string>;
  readonly unattainable: Set<string>;
  readonly unsendable: Set<string>;
  isNothing: boolean;
}

/** "An unknown key at any depth is 422, on create as on patch." */
function refuseUnknown(fields: readonly FieldSpec[], sent: PlainObject, path: string, writing: Writing): void {
  for (const key of Object.keys(sent)) if (!fields.some(({ name }) => name === key)) writing.invalid.add(join(path, key));
}

function refuse(path: string, writing: Writing): undefined {
  writing.invalid.add(path);
}

/**
 * "With `mergePatch: false` what is replaced returns to its defaults, protected values included: an embedded object
 * that holds them may be set to null where it is nullable, a list or map of such objects may be sent."
 */
const replaces = ({ operation, rules }: Writing): boolean => operation === 'patch' && !rules.mergePatch;

/**
 * Whether no value that this client may send on patch or put suffices: an object that requires what is closed, a list
 * or map that holds closed values.
 */
function isOutOfReach(kind: Kind, writing: Writing): boolean {
  const isMerged = writing.operation === 'patch' && mergesKeys(kind, writing.rules);
  if (kind.type !== 'object') return !replaces(writing) && !isMerged && isProtected(kind, writing.rules);
  return kind.fields.some(
    (field) => isRequired(field) && (!isWritable(field, writing.operation, writing.rules) || isOutOfReach(field.kind, writing)),
  );
}

function addIncomplete(field: FieldSpec, path: string, writing: Writing): void {
  writing.incomplete.add(path);
  if (!isWritable(field, writing.operation, writing.rules) || isOutOfReach(field.kind, writing)) writing.unattainable.add(path);
}

/** The stored value of one that is sent for a field. */
function given(field: FieldSpec, sent: Plain, path: string, writing: Writing): Plain {
  writing.isNothing = false;
  if (!isWritable(field, writing.operation, writing.rules)) return refuse(path, writing);
  if (writing.operation !== 'create' && !replaces(writing) && isProtected(field.kind, writing.rules)) {
    // "An embedded object holding such values cannot be set to null; a list or map of embedded objects holding such
    // values cannot be replaced through PATCH." "A list or map of such objects cannot be sent." (PUT)
    if (sent === null || field.kind.type !== 'object') return refuse(path, writing);
  }
  if (sent !== null) return whole(field.kind, sent, path, writing);
  if (field.presence === 'nullable') return stored(field, null);
  // "Null for a `t.optional` field removes it in patch and put and is 422 on create." "A key that cannot be none
  // rejects null."
  return field.presence === 'optional' && writing.operation !== 'create' ? undefined : refuse(path, writing);
}

function whole(kind: Kind, sent: Plain, path: string, writing: Writing): Plain {
  switch (kind.type) {
    case 'leaf': {
      const isWrong = sent === null || leaves[kind.leaf].wrong.some((wrong: Plain) => wrong === sent);
      return isWrong ? refuse(path, writing) : leaves[kind.leaf].good.find((sample) => sample.sent === sent)?.stored;
    }
    case 'array':
      if (!Array.isArray(sent)) return refuse(path, writing);
      return sent.map((item, index) => whole(kind.items, item, join(path, index), writing));
    case 'map':
      if (!isObject(sent)) return refuse(path, writing);
      return Object.fromEntries(Object.entries(sent).map(([key, item]) => [key, whole(kind.items, item, join(path, key), writing)]));
    case 'object':
      return isObject(sent) ? wholeObject(kind.fields, sent, path, writing) : refuse(path, writing);
  }
}

/**
 * An object that becomes what was sent: on create, in lists and maps, by PATCH with merge_patch false, by PUT without
 * protected values.
 */
function wholeObject(fields: readonly FieldSpec[], sent: PlainObject, path: string, writing: Writing): PlainObject {
  const server = path === '' ? writing.rules.serverFields : {}; // only a create makes a whole record
  refuseUnknown(fields, sent, path, writing);
  if (writing.operation !== 'create' && isOutOfReach({ type: 'object', name: '', fields }, writing)) writing.unsendable.add(path);
  return withFields({}, fields, (field) => {
    const at = join(path, field.name);
    if (Object.hasOwn(sent, field.name)) return given(field, sent[field.name], at, writing);
    if (Object.hasOwn(server, field.name)) return stored(field, server[field.name]);
    if (!isRequired(field)) return initial(field);
    // "In PUT and create each missing key is an error of its own."
    if (isWritable(field, writing.operation, writing.rules)) return refuse(at, writing);
    writing.unsendable.add(at);
    return undefined;
  });
}

/** RFC 7396. `before` is undefined where the embedded object is missing or null. */
function merge(
  fields: readonly FieldSpec[],
  sent: PlainObject,
  before: PlainObject | undefined,
  path: string,
  writing: Writing,
): PlainObject {
  refuseUnknown(fields, sent, path, writing);
  if (!before) writing.isNothing = false;
  return withFields(before ?? {}, fields, (field) => {
    const value = sent[field.name];
    const at = join(path, field.name);
    if (!Object.hasOwn(sent, field.name)) {
      if (before) return before[field.name]; // "unnamed keys are untouched"
      // "When the embedded object does not exist yet, the request must carry all its required fields, otherwise 422."
      if (isRequired(field)) addIncomplete(field, path, writing);
      return initial(field);
    }
    if (!isObject(value) || !isWritable(field, 'patch', writing.rules)) return given(field, value, at, writing);
    // A record without a map shows its default: that is what a patch merges into.
    const isDefault = before && !Object.hasOwn(before, field.name) && field.kind.type === 'map';
    const inner = isDefault ? initial(field) : before?.[field.name];
    return mergeValue(field.kind, value, inner, at, writing) ?? given(field, value, at, writing);
  });
}

/** An object or a map with `merge: true`. Undefined for a value that is replaced. */
function mergeValue(kind: Kind, sent: Plain, before: Plain, path: string, writing: Writing): Plain {
  if (!isObject(sent)) return undefined;
  const inner = isObject(before) ? before : undefined;
  if (kind.type === 'object') return merge(kind.fields, sent, inner, path, writing);
  if (!mergesKeys(kind, writing.rules)) return undefined;
  writing.isNothing = false;
  const after: Record<string, Plain> = { ...inner };
  for (const [key, value] of Object.entries(sent)) {
    const at = join(path, key);
    if (value !== null) after[key] = mergeValue(kind.items, value, inner?.[key], at, writing) ?? whole(kind.items, value, at, writing);
    else if (isProtected(kind.items, writing.rules)) refuse(at, writing);
    else delete after[key];
  }
  return after;
}

/** "With merge_patch false, PATCH replaces an embedded object by the one sent. … Top-level fields stay partial." */
function replaceNamed(fields: readonly FieldSpec[], sent: PlainObject, before: PlainObject, writing: Writing): PlainObject {
  refuseUnknown(fields, sent, '', writing);
  return withFields(before, fields, (field) =>
    Object.hasOwn(sent, field.name) ? given(field, sent[field.name], field.name, writing) : before[field.name],
  );
}

/** The record itself, and "an embedded object that holds protected values is replaced key by key". */
function put(
  fields: readonly FieldSpec[],
  sent: PlainObject,
  before: PlainObject | undefined,
  path: string,
  writing: Writing,
): PlainObject {
  refuseUnknown(fields, sent, path, writing);
  if (!before) writing.isNothing = false;
  return withFields(before ?? {}, fields, (field) => {
    const at = join(path, field.name);
    const value = sent[field.name];
    const holds = isProtected(field.kind, writing.rules);
    if (Object.hasOwn(sent, field.name)) {
      if (!(holds && field.kind.type === 'object' && isObject(value) && isWritable(field, 'put', writing.rules)))
        return given(field, value, at, writing);
      const inner = before?.[field.name];
      return put(field.kind.fields, value, isObject(inner) ? inner : undefined, at, writing);
    }
    // "Fields the client may not update keep stored values." "A nested protected object left out stays as it is."
    const stays = holds || !isWritable(field, 'put', writing.rules);
    if (stays && before) return before[field.name];
    if (isRequired(field)) {
      // "A required field must be sent (422)"; one that cannot be sent makes a new object incomplete: one error for the
      // object.
      if (!stays) return refuse(at, writing);
      addIncomplete(field, path, writing);
    }
    writing.isNothing = false;
    return initial(field); // "a writable field left out returns to its default"
  });
}

/** What the body does to the record's fields; `before` is undefined on create. */
export function effectOf(operation: WriteOperation, model: ModelSpec, rules: Rules, sent: PlainObject, before: PlainObject = {}): Effect {
  const writing: Writing = {
    operation,
    rules,
    invalid: new Set(),
    incomplete: new Set(),
    unattainable: new Set(),
    unsendable: new Set(),
    isNothing: true,
  };
  const members = model.fields;
  const apply = (): PlainObject => {
    if (operation === 'create') return wholeObject(members, sent, '', writing);
    if (operation === 'put') return put(members, sent, before, '', writing);
    return rules.mergePatch ? merge(members, sent, before, '', writing) : replaceNamed(members, sent, before, writing);
  };
  const fields = apply();
  return { ...writing, fields };
}

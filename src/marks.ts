/**
 * A process may load several copies of the library: one for the app, and one for a package of hooks that it uses. A
 * class of one copy is not that of another one, so values that pass from copy to copy are known by a mark, which is the
 * same symbol in all copies.
 */
export function markOf(name: string): symbol {
  return Symbol.for(`koa-mongo-resource.${name}`);
}

/** Whether a value has a mark. No JSON of a client can have one. */
export function hasMark(value: unknown, mark: symbol): boolean {
  return typeof value === 'object' && value !== null && mark in value;
}

/**
 * Gives the instances of a class a mark, and makes `instanceof` ask for it. For a class that the application derives,
 * `instanceof` stays what it is in JavaScript. Returns whether a value is an instance, of the class of any copy.
 */
export function markInstances<Instance extends object>(
  marked: { readonly prototype: Instance },
  name: string,
): (value: unknown) => value is Instance {
  const mark = markOf(name);
  const isInstance = (value: unknown): value is Instance => hasMark(value, mark);
  Object.defineProperty(marked.prototype, mark, { value: true });
  Object.defineProperty(marked, Symbol.hasInstance, {
    value(this: unknown, value: unknown): boolean {
      return this === marked ? isInstance(value) : Function.prototype[Symbol.hasInstance].call(this, value);
    },
  });
  return isInstance;
}

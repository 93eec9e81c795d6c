import { isObject } from './is-object.ts';

/** A problem document (RFC 9457) as the api answers it, without what has another type there. */
interface ProblemDocument {
  readonly code: string | undefined;
  readonly title: string | undefined;
  readonly detail: string | undefined;
  readonly errors: readonly FieldError[];
}

interface FieldError {
  readonly field: string;
  readonly message: string;
  readonly params?: unknown;
}

/** Texts to show instead of those of the api, or keys of translations, by the code of the problem. */
export type Messages = Readonly<Record<string, string>>;

/**
 * An answer of the api that is not a success, in the form in which react-admin (`status`, `body.errors`) and Refine
 * (`statusCode`, `errors`) expect it. `message` is for the user.
 */
export class HttpError extends Error {
  override readonly name = 'HttpError';
  readonly status: number;
  readonly statusCode: number;
  /** The problem document. Its `errors` are those of the fields: a message for each dotted path. */
  readonly body: Readonly<Record<string, unknown>>;
  /** A message for each field that is wrong, by its dotted path. */
  readonly errors?: Readonly<Record<string, string>>;

  constructor(message: string, status: number, body: Readonly<Record<string, unknown>> = {}, errors?: Readonly<Record<string, string>>) {
    super(message);
    this.status = status;
    this.statusCode = status;
    this.body = errors ? { ...body, errors } : body;
    if (errors) this.errors = errors;
  }
}

const ownMessages: Messages = {
  precondition_failed: 'Somebody has changed this record since you opened it. Reload it, and make your changes again.',
  not_found: 'This record does not exist any more, or you may not see it.',
};

/** The error of an answer; the text need not be a problem document, because proxies answer as well. */
export function errorOf(status: number, text: string, messages: Messages = {}): HttpError {
  const body = readObject(text);
  const problem = readProblem(body);
  const { code = '', errors } = problem;
  const known = [messages, ownMessages].find((texts) => Object.hasOwn(texts, code));
  const message = known?.[code] ?? sentenceOf(problem) ?? `The server has answered with ${status}.`;
  const byField = errors.flatMap(messagesOf).reverse();
  const { errors: _errors, ...others } = body;
  return new HttpError(message, status, { ...others, code, status }, byField.length > 0 ? Object.fromEntries(byField) : undefined);
}

/** The error of a success that the api has not answered: that of a proxy, or of a server of pages. */
export function foreignAnswer(status: number): HttpError {
  return new HttpError(`The server has answered with ${status}, but this is not an answer of the api.`, status);
}

/** An object that is not complete has inputs for its fields only. */
function messagesOf({ field, message, params }: FieldError): [string, string][] {
  const missing = isObject(params) ? params.missing : undefined;
  if (!Array.isArray(missing) || !missing.every(isText)) return [[field, capitalize(message)]];
  return missing.map((key) => [`${field}.${key}`, 'Is required']);
}

/** The mistakes of the fields if there are some: a field may have no input in the form. */
function sentenceOf({ errors, detail, title }: ProblemDocument): string | undefined {
  if (errors.length > 0) return `${errors.map(({ field, message }) => `${field} ${message}`).join('; ')}.`;
  return detail ?? title;
}

function readProblem({ code, title, detail, errors }: Readonly<Record<string, unknown>>): ProblemDocument {
  return {
    code: textOf(code),
    title: textOf(title),
    detail: textOf(detail),
    errors: Array.isArray(errors) ? errors.filter(isFieldError) : [],
  };
}

/** The object that a text is, or an empty one: it may be the page of a proxy. */
function readObject(text: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : {};
  } catch {
    return {};
  }
}

function textOf(value: unknown): string | undefined {
  return isText(value) ? value : undefined;
}

function isText(value: unknown): value is string {
  return typeof value === 'string';
}

function isFieldError(error: unknown): error is FieldError {
  return isObject(error) && isText(error.field) && isText(error.message);
}

function capitalize(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

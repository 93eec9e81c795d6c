/** A problem document (RFC 9457) as the api answers it. */
interface ProblemDocument {
  readonly status: number;
  readonly code?: string;
  readonly title?: string;
  readonly detail?: string;
  readonly errors?: readonly FieldError[];
}

interface FieldError {
  readonly field: string;
  readonly message: string;
  readonly params?: { readonly missing?: readonly string[] };
}

/** Texts to show instead of those of the api, or keys of translations, by the code of the problem. */
export type Messages = Readonly<Record<string, string>>;

/**
 * An answer of the api that is not a success, in the form in which react-admin (`status`, `body.errors`) and Refine (`statusCode`, `errors`)
 * expect it. `message` is for the user.
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
  const problem = readProblem(status, text);
  const { code = '', errors, ...body } = problem;
  const message = messages[code] ?? ownMessages[code] ?? sentenceOf(problem);
  const byField = errors?.flatMap(messagesOf);
  return new HttpError(message, status, { code, ...body }, byField && Object.fromEntries(byField.reverse()));
}

/** An object that is not complete has inputs for its fields only. */
function messagesOf({ field, message, params }: FieldError): [string, string][] {
  return params?.missing?.map((key): [string, string] => [`${field}.${key}`, 'Is required']) ?? [[field, capitalize(message)]];
}

/** The mistakes of the fields if there are some: a field may have no input in the form. */
function sentenceOf({ errors = [], detail, title, status }: ProblemDocument): string {
  if (errors.length > 0) return `${errors.map(({ field, message }) => `${field} ${message}`).join('; ')}.`;
  return detail ?? title ?? `The server has answered with ${status}.`;
}

function readProblem(status: number, text: string): ProblemDocument {
  try {
    const problem: unknown = JSON.parse(text);
    if (typeof problem === 'object' && problem !== null) return { ...problem, status };
  } catch {
    // a proxy's page
  }
  return { status };
}

function capitalize(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

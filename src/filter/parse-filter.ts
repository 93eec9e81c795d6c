import { type ComparisonSign, comparisons, type FieldName, type FilterSyntax, FilterSyntaxError, type Literal } from './syntax.ts';
import { type Token, tokensOf } from './tokens.ts';

/** The functions of a filter about one field, by their names. */
export type FilterCalls = ReadonlyMap<string, FilterCall>;

interface FilterCall {
  /** Whether it takes a text behind the field. */
  readonly takesText: boolean;
  /** Whether it is a value, which is compared as that of a field is: `sum(total) > 5`. @default false */
  readonly isValue?: boolean;
}

/** The limits of one filter. Each is checked while the text is read, so that no more of it is read than is legal. */
export interface FilterBounds {
  /** The most bytes of its text, as UTF-8. */
  readonly maxBytes: number;
  /** The most comparisons: each value of an `IN` is none of its own, and each call is one. */
  readonly maxComparisons: number;
  /** The most parentheses, calls and `NOT`s within one another. */
  readonly maxDepth: number;
  /** The most branches of one `OR`. */
  readonly maxBranches: number;
  /** Whether `…` may stand for a value. @default false */
  readonly hasBlanks?: boolean;
}

/** The functions about the items of an array, or the records of a relation. */
const quantifiers = ['any', 'none', 'count'] as const;

/**
 * Parses a filter: `(status = "open" OR total >= 100) AND NOT exists(paidAt)`. Throws a {@link FilterSyntaxError} with
 * the place and what was expected there; `ambiguous` for `AND` beside `OR`; `too_complex` for a filter beyond the
 * bounds.
 *
 * @example
 * parseFilter('a = 1', new Map(), { maxBytes: 4096, maxComparisons: 32, maxDepth: 8, maxBranches: 10 })
 */
export function parseFilter(text: string, calls: FilterCalls, bounds: FilterBounds): FilterSyntax {
  if (Buffer.byteLength(text) > bounds.maxBytes) throw tooComplex(`has more than ${bounds.maxBytes} bytes`, bounds.maxBytes);
  const parser = new Parser(text, calls, bounds);
  const syntax = parser.expression();
  parser.expect('end', 'AND, OR or the end');
  return syntax;
}

class Parser {
  readonly #tokens: Generator<Token, Token>;
  readonly #calls: FilterCalls;
  readonly #bounds: FilterBounds;
  #token: Token;
  #comparisons = 0;
  #depth = 0;

  constructor(text: string, calls: FilterCalls, bounds: FilterBounds) {
    this.#tokens = tokensOf(text);
    this.#calls = calls;
    this.#bounds = bounds;
    this.#token = this.#tokens.next().value;
  }

  /** Terms that are joined by `AND`, or by `OR`, and never by both. */
  expression(): FilterSyntax {
    const first = this.#term();
    const { kind } = this.#token;
    if (kind !== 'AND' && kind !== 'OR') return first;
    const of = [first];
    while (this.#take(kind)) {
      of.push(this.#term());
      if (kind === 'OR' && of.length > this.#bounds.maxBranches)
        throw tooComplex(`has an OR of more than ${this.#bounds.maxBranches} branches`, this.#bounds.maxBranches);
    }
    if (this.#token.kind === 'AND' || this.#token.kind === 'OR') throw ambiguous(this.#token);
    return { kind: kind === 'AND' ? 'and' : 'or', of };
  }

  #term(): FilterSyntax {
    if (this.#take('NOT')) return this.#deeper(() => ({ kind: 'not', of: this.#afterNot() }));
    return this.#primary();
  }

  /** `NOT` binds to the parenthesis, the call or the comparison behind it. */
  #afterNot(): FilterSyntax {
    if (this.#token.kind === 'NOT') throw this.#unexpected('a field, a call or ( behind NOT');
    return this.#primary();
  }

  #primary(): FilterSyntax {
    if (this.#take('(')) {
      const inner = this.#deeper(() => this.expression());
      this.expect(')', 'AND, OR or )');
      return inner;
    }
    if (this.#token.kind !== 'name') throw this.#unexpected('a field, a call, NOT or (');
    const { text: name, position } = this.#shift();
    this.#countComparison();
    return this.#take('(') ? this.#call(name, position) : this.#comparison({ name, position });
  }

  #comparison(field: FieldName): FilterSyntax {
    if (this.#take('IN')) return { kind: 'in', field, values: this.#values() };
    const { kind } = this.#token;
    if (!isComparison(kind)) throw this.#unexpected('=, !=, <, <=, >, >= or IN');
    this.#shift();
    return { kind: 'compare', field, operator: kind, value: this.#literal() };
  }

  #values(): Literal[] {
    this.expect('(', '( behind IN');
    const values: Literal[] = [];
    if (this.#take(')')) return values;
    do values.push(this.#literal());
    while (this.#take(','));
    this.expect(')', ', or )');
    return values;
  }

  #call(name: string, position: number): FilterSyntax {
    const call = this.#calls.get(name);
    const quantifier = quantifiers.find((one) => one === name);
    if (!call && !quantifier)
      throw new FilterSyntaxError('syntax', `is not a filter: ${JSON.stringify(name)} at character ${position} is no function`, {
        position,
        expected: [...this.#calls.keys(), ...quantifiers].join(', '),
      });
    const field = this.#field();
    if (call?.isValue) {
      this.expect(')', ')');
      return this.#comparison({ name: `${name}(${field.name})`, position });
    }
    if (!quantifier) {
      const value = call?.takesText ? this.#text() : undefined;
      this.expect(')', ')');
      return { kind: 'call', name, field, value };
    }
    const of = this.#take(',') ? this.#deeper(() => this.expression()) : undefined;
    this.expect(')', ')');
    return quantifier === 'count' ? { kind: 'count', field, of, ...this.#number() } : { kind: quantifier, field, of };
  }

  /** How a number of items or related records compares with another one. */
  #number(): { readonly operator: ComparisonSign; readonly number: number | undefined } {
    const { kind: operator } = this.#token;
    if (!isComparison(operator)) throw this.#unexpected('=, !=, <, <=, > or >= behind count(…)');
    this.#shift();
    const isBlank = this.#token.kind === '…' && this.#bounds.hasBlanks;
    if (!isBlank && !(this.#token.kind === 'number' && /^\d{1,9}$/.test(this.#token.text)))
      throw this.#unexpected('a whole number of at most 9 digits');
    const { text } = this.#shift();
    return { operator, number: isBlank ? undefined : Number(text) };
  }

  #text(): Literal {
    this.expect(',', ', and a string');
    const { kind } = this.#token;
    if (kind !== 'string' && !(kind === '…' && this.#bounds.hasBlanks)) throw this.#unexpected('a string');
    return this.#literal();
  }

  #field(): FieldName {
    if (this.#token.kind !== 'name') throw this.#unexpected('the name of a field');
    const { text: name, position } = this.#shift();
    return { name, position };
  }

  #literal(): Literal {
    const { kind } = this.#token;
    if (kind === '…' && this.#bounds.hasBlanks) return { text: undefined, position: this.#shift().position };
    if (kind !== 'string' && kind !== 'number' && kind !== 'true' && kind !== 'false' && kind !== 'null')
      throw this.#unexpected('a string in double quotes, a number, true, false or null');
    const { text, position } = this.#shift();
    return { text: kind === 'null' ? null : text, position };
  }

  #deeper<Result>(read: () => Result): Result {
    const { maxDepth } = this.#bounds;
    if (this.#depth === maxDepth) throw tooComplex(`is nested more than ${maxDepth} deep`, maxDepth);
    this.#depth++;
    const result = read();
    this.#depth--;
    return result;
  }

  #countComparison(): void {
    const { maxComparisons } = this.#bounds;
    if (++this.#comparisons > maxComparisons) throw tooComplex(`has more than ${maxComparisons} comparisons`, maxComparisons);
  }

  expect(kind: Token['kind'], expected: string): void {
    if (!this.#take(kind)) throw this.#unexpected(expected);
  }

  /** Passes the token if it is of this kind. */
  #take(kind: Token['kind']): boolean {
    if (this.#token.kind !== kind) return false;
    if (kind !== 'end') this.#shift();
    return true;
  }

  #shift(): Token {
    const token = this.#token;
    this.#token = this.#tokens.next().value;
    return token;
  }

  #unexpected(expected: string): FilterSyntaxError {
    const { kind, text, position } = this.#token;
    const found = kind === 'end' ? 'it ends' : `${JSON.stringify(text)} stands`;
    return new FilterSyntaxError('syntax', `is not a filter: at character ${position} ${found}, and ${expected} was expected`, {
      position,
      expected,
    });
  }
}

function isComparison(kind: Token['kind']): kind is ComparisonSign {
  return (comparisons as readonly string[]).includes(kind);
}

function ambiguous({ kind, position }: Token): FilterSyntaxError {
  const message = `is ambiguous: ${kind} at character ${position} stands beside ${kind === 'AND' ? 'OR' : 'AND'}; put one of them in parentheses`;
  return new FilterSyntaxError('ambiguous', message, { position });
}

function tooComplex(what: string, limit: number): FilterSyntaxError {
  return new FilterSyntaxError('too_complex', what, { limit });
}

/**
 * A growing buffer for JSON text in UTF-8. It is reused: a caller must take or clear its text before it waits for
 * anything.
 */
export class JsonOutput {
  /** The first `length` bytes are the text. {@link reserve} may replace the buffer. */
  bytes: Buffer;
  length = 0;
  readonly #initial: number;

  constructor(initial = 65_536) {
    this.#initial = initial;
    this.bytes = Buffer.allocUnsafe(initial);
  }

  /** Ensures that there is room for this many more bytes. */
  reserve(count: number): void {
    const needed = this.length + count;
    if (needed <= this.bytes.length) return;
    const larger = Buffer.allocUnsafe(Math.max(needed, this.bytes.length * 2));
    this.bytes.copy(larger, 0, 0, this.length);
    this.bytes = larger;
  }

  /** Appends one ASCII character. */
  byte(code: number): void {
    if (this.length === this.bytes.length) this.reserve(1);
    this.bytes[this.length++] = code;
  }

  /** Appends bytes as they are. */
  raw(source: Uint8Array): void {
    const { length } = source;
    this.reserve(length);
    const { bytes } = this;
    let at = this.length;
    for (let index = 0; index < length; index++) bytes[at++] = source[index] as number;
    this.length = at;
  }

  /** Appends text as it is. */
  text(text: string): void {
    this.reserve(text.length < 4_096 ? text.length * 3 : Buffer.byteLength(text)); // at most three bytes for a UTF-16 code unit
    this.length += this.bytes.write(text, this.length);
  }

  /** Appends a safe integer. */
  integer(value: number): void {
    this.reserve(17);
    const { bytes } = this;
    let rest = value;
    if (rest < 0) {
      bytes[this.length++] = minus;
      rest = -rest;
    }
    let digits = 1;
    for (let bound = 10; rest >= bound; bound *= 10) digits++;
    let at = this.length + digits;
    this.length = at;
    if (rest <= mostInt32) {
      let small = rest | 0;
      do {
        const next = (small / 10) | 0;
        bytes[--at] = zero + (small - next * 10);
        small = next;
      } while (small > 0);
      return;
    }
    do {
      const next = Math.floor(rest / 10);
      bytes[--at] = zero + (rest - next * 10);
      rest = next;
    } while (rest > 0);
  }

  /** Returns a copy of the text, and clears the output. */
  take(): Buffer {
    const text = Buffer.from(this.bytes.subarray(0, this.length));
    this.clear();
    return text;
  }

  /** Removes the text. A buffer that has grown large is released. */
  clear(): void {
    this.length = 0;
    if (this.bytes.length > keptBytes) this.bytes = Buffer.allocUnsafe(this.#initial);
  }
}

const keptBytes = 1_048_576;
const mostInt32 = 0x7fffffff;
const minus = 0x2d;
const zero = 0x30;

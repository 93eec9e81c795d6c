import { JsonOutput } from '../../../src/model/value/json-output.ts';

describe('JsonOutput', () => {
  it.each([0, 1, 9, 10, 99, 100, 2 ** 31 - 1, 2 ** 31, 10 ** 15, Number.MAX_SAFE_INTEGER].flatMap((value) => [value, -value]))(
    'writes %d as String() does',
    (value) => {
      const output = new JsonOutput(1);
      output.integer(value);
      expect(output.take().toString()).toBe(String(value));
    },
  );

  it('grows by what it is given, and keeps what it has', () => {
    const output = new JsonOutput(2);
    output.byte(0x5b);
    output.text('"é😀"');
    output.raw(Buffer.from(',"raw"'));
    output.integer(12345);
    output.byte(0x5d);
    expect(output.take().toString()).toBe('["é😀","raw"12345]');
  });

  it('returns a copy, and begins again', () => {
    const output = new JsonOutput();
    output.text('first');
    const first = output.take();
    output.text('other');
    expect(first.toString()).toBe('first');
    expect(output.take().toString()).toBe('other');
  });

  it('does not keep the memory of a large text', () => {
    const output = new JsonOutput(16);
    output.text('x'.repeat(2_000_000));
    output.clear();
    expect(output.bytes).toHaveLength(16);
  });
});

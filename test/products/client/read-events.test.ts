import fc from 'fast-check';
import { readEvents, type StreamEvent } from '../../../src/products/client/read-events.ts';
import { cases } from '../../support/fuzzing/fuzz.ts';

interface Read {
  readonly events: readonly StreamEvent[];
  readonly retries: readonly number[];
}

function readAll(chunks: readonly Uint8Array[]): Read {
  const events: StreamEvent[] = [];
  const retries: number[] = [];
  const read = readEvents(
    (event) => events.push(event),
    (ms) => retries.push(ms),
  );
  for (const chunk of chunks) read(chunk);
  return { events, retries };
}

const bytesOf = (text: string) => new TextEncoder().encode(text);
const read = (text: string) => readAll([bytesOf(text)]);
const event = (data: string, name = 'message', id = '') => ({ name, data, id });

/** The rules of the HTML standard, §9.2.6, step by step over the whole text: slow, and nothing is cut. */
function readSlowly(bytes: Uint8Array): Read {
  let text = new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes);
  if (text.startsWith('\u{FEFF}')) text = text.slice(1);
  const lines: string[] = [];
  for (let line = '', at = 0; at < text.length; at++) {
    const character = text.charAt(at);
    if (character !== '\r' && character !== '\n') {
      line += character;
      continue;
    }
    if (character === '\r' && text.charAt(at + 1) === '\n') at++;
    lines.push(line);
    line = '';
  }
  const events: StreamEvent[] = [];
  const retries: number[] = [];
  let [data, type, lastId] = ['', '', ''];
  for (const line of lines) {
    if (line === '') {
      if (data !== '') events.push({ name: type === '' ? 'message' : type, data: data.slice(0, -1), id: lastId });
      data = '';
      type = '';
      continue;
    }
    const colon = line.indexOf(':');
    if (colon === 0) continue;
    const field = colon < 0 ? line : line.slice(0, colon);
    let value = colon < 0 ? '' : line.slice(colon + 1);
    if (value.startsWith(' ')) value = value.slice(1);
    if (field === 'event') type = value;
    if (field === 'data') data += `${value}\n`;
    if (field === 'id' && !value.includes('\0')) lastId = value;
    if (field === 'retry' && value !== '' && [...value].every((digit) => '0123456789'.includes(digit))) retries.push(Number(value));
  }
  return { events, retries };
}

describe('readEvents', () => {
  it.each<[string, string, readonly StreamEvent[]]>([
    ['an event with its name, id and data', 'event: page\nid: 1\ndata: {}\n\n', [event('{}', 'page', '1')]],
    ['`message` as the name of an event without one', 'data: a\n\n', [event('a')]],
    ['lines of data, with line feeds between them', 'data: a\ndata\ndata:b\n\n', [event('a\n\nb')]],
    ['lines that end with LF, CR or CRLF', 'data: a\r\rdata: b\r\n\r\ndata: c\n\n', [event('a'), event('b'), event('c')]],
    ['no event without data', 'event: page\nid: 1\n\ndata: a\n\n', [event('a', 'message', '1')]],
    ['an event whose data is empty', 'data\n\n', [event('')]],
    ['nothing of comments', ': \n\n:a\ndata: a\n: b\n\n', [event('a')]],
    ['the value behind one space only', 'data:  a: b \n\n', [event(' a: b ')]],
    ['nothing of unknown fields, nor of their case', 'Data: a\ndata : b\nx: y\ndata: c\n\n', [event('c')]],
    [
      'the id until another one comes',
      'id: 1\ndata: a\n\ndata: b\n\nid\ndata: c\n\n',
      [event('a', 'message', '1'), event('b', 'message', '1'), event('c')],
    ],
    ['no id with NUL', 'id: 1\nid: 2\0\ndata: a\n\n', [event('a', 'message', '1')]],
    ['nothing of an event that is not ended', 'data: a\n\ndata: b\n', [event('a')]],
    ['no byte order mark, and only the first is one', '\u{FEFF}data: \u{FEFF}a\n\n', [event('\u{FEFF}a')]],
    ['U+2028 and U+0085 as characters of a line', 'data: a\u2028b\u0085c\n\n', [event('a\u2028b\u0085c')]],
  ])('reads %s', (_rule, text, events) => {
    expect(read(text).events).toEqual(events);
    expect(readSlowly(bytesOf(text)).events).toEqual(events);
  });

  it('tells `retry` of digits only', () => {
    expect(read('retry: 1500\nretry: 1e3\nretry: -1\nretry\nretry: 7 \nretry: ٣\nretry:0\n').retries).toEqual([1500, 0]);
  });

  it('tells an event as soon as its empty line is there, also if that ends with CR', () => {
    const events: StreamEvent[] = [];
    const next = readEvents(
      (one) => events.push(one),
      () => {},
    );
    next(bytesOf('data: a\r\r'));
    expect(events).toEqual([event('a')]);
    next(bytesOf('\ndata: b\r'));
    next(bytesOf(''));
    next(bytesOf('\n'));
    expect(events).toEqual([event('a')]);
    next(bytesOf('\r'));
    expect(events).toEqual([event('a'), event('b')]);
  });

  it('reads the same however the bytes are cut, and what the standard says', () => {
    const piece = fc.oneof(
      fc.constantFrom(
        'data',
        'event',
        'id',
        'retry',
        ':',
        ' ',
        '\n',
        '\r',
        '\r\n',
        '\n\n',
        '\u{FEFF}',
        'é',
        '𝄞',
        '\u2028',
        '\0',
        '12',
        'data: a\n\n',
        'id: 7\r',
      ),
      fc.string({ maxLength: 3 }),
    );
    const stream = fc.array(piece, { maxLength: 40 }).map((pieces) => bytesOf(pieces.join('')));
    const bytes = fc.oneof(stream, fc.uint8Array({ maxLength: 60 }));
    fc.assert(
      fc.property(bytes, fc.array(fc.nat(200), { maxLength: 12 }), (all, places) => {
        const cuts = [0, ...places.map((place) => place % (all.length + 1)).sort((a, b) => a - b), all.length];
        const chunks = cuts.slice(1).map((end, index) => all.subarray(cuts[index], end));
        expect(readAll(chunks)).toEqual(readSlowly(all));
        expect(readAll(Array.from(all, (byte) => Uint8Array.of(byte)))).toEqual(readSlowly(all));
      }),
      cases(1_000),
    );
  });
});

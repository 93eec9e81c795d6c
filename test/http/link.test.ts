import { formatLink } from '../../src/http/link.ts';

describe('formatLink', () => {
  it('separates links with commas and quotes their relations', () => {
    expect(
      formatLink([
        { href: '/orders?page=3', rel: 'next' },
        { href: '/orders?page=1', rel: 'first' },
      ]),
    ).toBe('</orders?page=3>; rel="next", </orders?page=1>; rel="first"');
  });

  it('is empty without links', () => {
    expect(formatLink([])).toBe('');
  });

  it.each([
    ['/o?q=%3E%25&a=%c3%a9', '/o?q=%3E%25&a=%c3%a9'],
    ['http://x/o?a=1&b=2+3#f', 'http://x/o?a=1&b=2+3#f'],
    ['/o?total[gte]=5', '/o?total%5Bgte%5D=5'],
    ['/o?a=<">|^`{}\\ ', '/o?a=%3C%22%3E%7C%5E%60%7B%7D%5C%20'],
    ['/o?a=\r\nSet-Cookie: x', '/o?a=%0D%0ASet-Cookie:%20x'],
    ['/é?a=%', '/%C3%A9?a=%'],
  ])('encodes what no URI may hold, and nothing twice: %j', (href, target) => {
    expect(formatLink([{ href, rel: 'next' }])).toBe(`<${target}>; rel="next"`);
  });
});

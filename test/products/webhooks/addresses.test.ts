import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';
import { isPublic } from '../../../src/products/webhooks/addresses.ts';
import { compileSend } from '../../../src/products/webhooks/send.ts';
import { loadSigner, newSecret } from '../../../src/products/webhooks/sign.ts';
import { type LookupAll, type TransportOptions, urlPattern } from '../../../src/products/webhooks/transport.ts';

const message = (url: string) => ({ id: '1', body: '{}', url, secrets: [newSecret()] });
const sendTo = async (url: string, transport: TransportOptions = {}) => compileSend(transport, await loadSigner())(message(url));

/** Hosts of URLs that lead to no receiver on the public internet. */
const hosts = [
  '127.0.0.1',
  '127.0.0.1.',
  '127.1',
  '127.0.1',
  '2130706433',
  '0x7f000001',
  '0x7f.0.0.1',
  '0x7f.1',
  '0177.0.0.1',
  '017700000001',
  '127.255.255.254',
  '0',
  '0.0.0.0',
  '00.0',
  '①②⑦.⓪.⓪.①',
  '127%2e0%2e0%2e1',
  '127。0。0。1',
  '10.0.0.1',
  '10.255.255.255',
  '012.0.0.1',
  '167772161',
  '172.16.0.1',
  '172.31.255.255',
  '0xac100001',
  '192.168.0.1',
  '192.168.257',
  '169.254.169.254',
  '2852039166',
  '0xa9.0xfe.0xa9.0xfe',
  '169.254.43518',
  '100.64.0.1',
  '100.100.100.200',
  '168.63.129.16',
  '192.0.0.192',
  '192.0.2.1',
  '198.51.100.1',
  '203.0.113.1',
  '198.18.0.1',
  '192.88.99.1',
  '224.0.0.1',
  '239.255.255.255',
  '240.0.0.1',
  '255.255.255.255',
  '[::1]',
  '[0:0:0:0:0:0:0:1]',
  '[::]',
  '[::ffff:127.0.0.1]',
  '[::ffff:7f00:1]',
  '[0:0:0:0:0:ffff:a00:1]',
  '[::127.0.0.1]',
  '[fe80::1]',
  '[fe80::1%25eth0]',
  '[fe80::1%eth0]',
  '[febf::1]',
  '[fec0::1]',
  '[fc00::1]',
  '[fd00:ec2::254]',
  '[ff02::1]',
  '[ff0e::1]',
  '[64:ff9b::7f00:1]',
  '[64:ff9b::10.0.0.1]',
  '[64:ff9b:1::1]',
  '[2002:7f00:1::]',
  '[2002:a9fe:a9fe::1]',
  '[2001::7f00:1]',
  '[2001:0:4136:e378:8000:63bf:3fff:fdd2]',
  '[2001:db8::1]',
  '[3fff::1]',
  '[100::1]',
  '[5f00::1]',
  'localhost',
  'LOCALHOST',
  'localhost.',
  'loc%61lhost',
  'user@127.0.0.1',
  'user:secret@example.com',
  'example.com@127.0.0.1',
  '127.0.0.1#@example.com',
  '127.0.0.1\\@example.com',
]; // prettier-ignore

it.each(hosts)('no webhook is sent to https://%s', async (host) => {
  for (const url of [`https://${host}/`, `https://${host}:8443/hook`]) expect(await sendTo(url)).toMatchObject({ failure: 'address' });
});

const isName = (host: string) => /^localhost\.?$/i.test(host);

it.each(hosts.filter((host) => !isName(host)))('no subscription takes the URL https://%s', (host) => {
  for (const url of [`https://${host}`, `https://${host}/`, `https://${host}:8443/hook?a=b`])
    expect(new RegExp(urlPattern({}), 'u').test(url)).toBe(false);
});

it.each([
  'https://example.com',
  'https://example.com.',
  'https://hooks.example.com:8443/a/b?c=d&e=%20@f',
  'https://xn--bcher-kva.example/',
  'https://intranet/hook',
  'https://1.example.com/',
  'https://a_b.example.com/',
])('a subscription takes the URL %s', (url) => {
  expect(new RegExp(urlPattern({}), 'u').test(url)).toBe(true);
});

it.each([
  'http://example.com/',
  'HTTPS://example.com/',
  'ftp://example.com/',
  'file:///etc/passwd',
  'https:example.com',
  'https:/example.com',
  'https:///example.com',
  'https://',
  'https:// example.com/',
  'https://example.com/ ',
  'https://example.com/#part',
  'https://example.com#',
  'https://example.com\\a',
  'https://example.com/\n',
  'https://exa\tmple.com/',
  'https://bücher.example/',
  'https://example.com/ü',
  'https://example.com:https/',
  'https://example..com/',
  '//example.com/',
])('no subscription takes the URL %j', (url) => {
  expect(new RegExp(urlPattern({}), 'u').test(url)).toBe(false);
});

it('takes addresses and `http:` only where the options say so', () => {
  const takes = (options: TransportOptions, url: string) => new RegExp(urlPattern(options), 'u').test(url);
  const allow = () => true;
  expect(takes({ allow }, 'https://127.0.0.1:8080/a')).toBe(true);
  expect(takes({ allow }, 'https://[::1]/')).toBe(true);
  expect(takes({ allow }, 'http://127.0.0.1/')).toBe(false);
  expect(takes({ http: true }, 'http://example.com/')).toBe(true);
  expect(takes({ http: true }, 'http://127.0.0.1/')).toBe(false);
  expect(takes({ allow, http: true }, 'http://127.0.0.1/')).toBe(true);
  expect(takes({ allow, http: true }, 'http://a@127.0.0.1/')).toBe(false);
});

it.each(['8.8.8.8', '1.1.1.1', '172.15.255.255', '172.32.0.0', '100.63.255.255', '100.128.0.0', '2606:4700:4700::1111', '2a00:1450::1'])(
  '%s is public',
  (address) => {
    expect(isPublic(address)).toBe(true);
  },
);

it.each(['', 'example.com', '8.8.8', '2606:4700::1%eth0', ' 8.8.8.8'])('%j is no public address', (address) => {
  expect(isPublic(address)).toBe(false);
});

/** A look-up that finds these addresses, one after the other, and counts how often it is asked. */
function answering(...found: readonly string[]): LookupAll & { asked: number } {
  const lookup = (_name: string, _options: unknown, callback: Parameters<LookupAll>[2]) => {
    const address = found[Math.min(lookup.asked++, found.length - 1)] as string;
    setImmediate(callback, null, [{ address, family: address.includes(':') ? 6 : 4 }]);
  };
  lookup.asked = 0;
  return lookup;
}

it('a name that is public at first and private at the next look-up is connected to only where it was checked', async () => {
  const server = createServer((socket) => socket.destroy()).listen(0, '127.0.0.1');
  await once(server, 'listening');
  let connections = 0;
  server.on('connection', () => connections++);
  const { port } = server.address() as AddressInfo;
  const lookup = answering('127.0.0.2', '127.0.0.1');
  const allow = (address: string) => address === '127.0.0.2'; // stands for a public one, where nobody listens
  const url = `http://rebinding.example:${port}/`;
  expect(await sendTo(url, { http: true, allow, lookup })).toMatchObject({ failure: 'connection' });
  expect([lookup.asked, connections]).toEqual([1, 0]);
  expect(await sendTo(url, { http: true, allow, lookup })).toMatchObject({ failure: 'address' });
  expect([lookup.asked, connections]).toEqual([2, 0]);
  server.close();
});

it('a name is refused if one of its addresses is', async () => {
  const lookup: LookupAll = (_name, _options, callback) =>
    callback(null, [
      { address: '93.184.215.14', family: 4 },
      { address: '10.0.0.1', family: 4 },
    ]);
  expect(await sendTo('https://mixed.example/', { lookup })).toMatchObject({
    failure: 'address',
    detail: expect.stringContaining('10.0.0.1'),
  });
});

it('a name without an address is told like one that leads to a refused address', async () => {
  const lookup: LookupAll = (_name, _options, callback) => callback(Object.assign(new Error('not found'), { code: 'ENOTFOUND' }), []);
  expect(await sendTo('https://nowhere.example/', { lookup })).toMatchObject({ failure: 'address' });
  expect(await sendTo('https://nowhere.example/', { lookup: (_name, _options, callback) => callback(null, []) })).toMatchObject({
    failure: 'address',
  });
});

it.each<[what: string, addresses: unknown]>([
  ['nothing', undefined],
  ['a text, as without `all`', '93.184.215.14'],
  ['what is no address', [{ address: undefined, family: 4 }]],
])('nothing is sent, and nothing breaks, if a look-up finds %s', async (_what, addresses) => {
  const lookup: LookupAll = (_name, _options, callback) => setImmediate(callback, null, addresses as never);
  expect(await sendTo('https://broken.example/', { lookup })).toMatchObject({ failure: 'address' });
});

it.each<[how: string, allow: () => boolean]>([
  ['is async', (async () => true) as never],
  ['is only truthy', (() => 1) as never],
])('an `allow` that %s allows nothing', async (_how, allow) => {
  const lookup = answering('10.0.0.1');
  expect(await sendTo('https://private.example/', { lookup, allow })).toMatchObject({ failure: 'address' });
});

it.each(['https://10.0.0.1/', 'https://private.example/'])('an `allow` that throws sends nothing to %s', async (url) => {
  const allow = () => {
    throw new Error('broken');
  };
  expect(await sendTo(url, { lookup: answering('10.0.0.1'), allow })).toMatchObject({ failure: 'connection', detail: 'broken' });
});

it('a name with a trailing dot is looked up and checked like any other', async () => {
  const lookup = answering('10.0.0.1');
  expect(await sendTo('https://private.example./', { lookup })).toMatchObject({ failure: 'address' });
  expect(lookup.asked).toBe(1);
});

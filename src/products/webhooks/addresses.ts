import { BlockList, isIP } from 'node:net';

/** IPv4 networks that are not the public internet (RFC 6890 and its registry), and an address of a cloud's own. */
const notPublic: readonly (readonly [network: string, prefix: number])[] = [
  ['0.0.0.0', 8], // this network
  ['10.0.0.0', 8], // private
  ['100.64.0.0', 10], // shared by carriers (RFC 6598); metadata of Alibaba Cloud
  ['127.0.0.0', 8], // loopback
  ['168.63.129.16', 32], // the host of a machine in Azure
  ['169.254.0.0', 16], // link-local; metadata of most clouds
  ['172.16.0.0', 12], // private
  ['192.0.0.0', 24], // protocol assignments; metadata of Oracle Cloud
  ['192.0.2.0', 24], // documentation
  ['192.88.99.0', 24], // relays of 6to4
  ['192.168.0.0', 16], // private
  ['198.18.0.0', 15], // benchmarks
  ['198.51.100.0', 24], // documentation
  ['203.0.113.0', 24], // documentation
  ['224.0.0.0', 4], // multicast
  ['240.0.0.0', 4], // reserved, and broadcast
];

/** Within the global unicast addresses of IPv6, what stands for other addresses or for none. */
const notGlobal: readonly (readonly [network: string, prefix: number])[] = [
  ['2001::', 23], // protocol assignments: Teredo, ORCHID, benchmarks
  ['2001:db8::', 32], // documentation
  ['2002::', 16], // 6to4, which has an IPv4 address inside
  ['3fff::', 20], // documentation (RFC 9637)
];

const refused = new BlockList();
for (const [network, prefix] of notPublic) refused.addSubnet(network, prefix, 'ipv4');
for (const [network, prefix] of notGlobal) refused.addSubnet(network, prefix, 'ipv6');

/**
 * All that the internet assigns. What is outside is loopback, unique-local, link-local, multicast, mapped
 * (`::ffff:`) or translated (`64:ff9b::`).
 */
const globalUnicast = new BlockList();
globalUnicast.addSubnet('2000::', 3, 'ipv6');

/** Whether an address belongs to the public internet. One with a zone does not. */
export function isPublic(address: string): boolean {
  const version = isIP(address);
  if (version === 4) return !refused.check(address, 'ipv4');
  return version === 6 && !address.includes('%') && globalUnicast.check(address, 'ipv6') && !refused.check(address, 'ipv6');
}

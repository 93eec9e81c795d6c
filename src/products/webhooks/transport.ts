import { type LookupAddress, type LookupAllOptions, lookup as lookupByNode } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import { aFunction, aWholeNumber, byDefault, checkedLater, orUndefined, trueOrFalse } from '../../options.ts';
import { isPublic } from './addresses.ts';

/** How webhooks reach their receivers. */
export interface TransportOptions {
  /**
   * Which addresses beside those of the public internet webhooks may be sent to: for tests, and for receivers in a
   * network of your own. URLs may have addresses instead of names then.
   * @default none
   *
   * @example
   * allow: (address) => address === '10.1.2.3'
   */
  readonly allow?: (address: string) => boolean;
  /**
   * Whether URLs may have `http:`, for development: everybody on the way reads and changes what is sent.
   *
   * @default false
   */
  readonly http?: boolean;
  /**
   * How long a receiver may take, from the look-up of its name to the end of its answer, in milliseconds.
   *
   * @default 15,000
   */
  readonly timeout?: number;
  /** Finds the addresses of a name. What it finds is checked as well. @default `lookup` of `node:dns` */
  readonly lookup?: LookupAll;
  /** The certificate authorities that are trusted, as `node:tls` takes them. @default those of Node */
  readonly ca?: string | Buffer | readonly (string | Buffer)[];
}

/** `lookup` of `node:dns`, as it is called with `all: true`. */
export type LookupAll = (
  hostname: string,
  options: LookupAllOptions,
  callback: (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void,
) => void;

/** What is legal for each option. */
export const legalTransport = {
  allow: orUndefined(aFunction),
  http: orUndefined(trueOrFalse),
  timeout: byDefault(15_000, aWholeNumber(1, 300_000, ' of milliseconds')),
  lookup: orUndefined(aFunction),
  ca: checkedLater, // by `node:tls`
};

/** A URL leads to no address that webhooks are sent to. Clients must not learn whether it leads to another one. */
export class NoAddress extends Error {
  override readonly name = 'NoAddress';
}

/** The port and the rest of a URL, without a fragment: printable ASCII but for `#` and `\`. */
const rest = '(:[0-9]{1,5})?([/?][!-"$-\\[\\]-~]*)?$';

/**
 * The pattern of the URLs of subscriptions. By default a URL has a name: the last part of a name begins with a letter,
 * and that of an address in any spelling with a digit, or it is in brackets. There are no credentials and no fragment.
 */
export function urlPattern({ allow, http = false }: TransportOptions): string {
  const names = '([A-Za-z0-9_-]+\\.)*[A-Za-z][A-Za-z0-9_-]*\\.?';
  const hosts = allow ? '([A-Za-z0-9._-]+|\\[[0-9A-Fa-f:.]+\\])' : names;
  return `^http${http ? 's?' : 's'}://${hosts}${rest}`;
}

/** Reads the URL of a subscription. Throws a {@link NoAddress} for one that webhooks are not sent to. */
export function readUrl(text: string, transport: TransportOptions): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const protocols = transport.http ? ['https:', 'http:'] : ['https:'];
  if (!url || !protocols.includes(url.protocol) || url.username !== '' || url.password !== '')
    throw new NoAddress('The URL is not one that webhooks are sent to.');
  // A literal address is not looked up. WHATWG URL has made its usual spelling of any other.
  const host = url.hostname.replace(/^\[|\]$/g, '');
  if (isIP(host) !== 0) requireAllowed(host, transport);
  return url;
}

/**
 * The `lookup` of a connection, which refuses a name if one of its addresses is refused. The addresses that it checks
 * are those that the connection uses: to look up the name once more could give others.
 */
export function compileLookup(transport: TransportOptions): LookupFunction {
  const lookup: LookupAll = transport.lookup ?? lookupByNode;
  return (hostname, options, callback) =>
    lookup(hostname, { ...options, all: true }, (error, addresses) => {
      const refuse = (reason: Error) => callback(reason, []);
      if (error) return refuse(new NoAddress(error.message, { cause: error }));
      const [first] = addresses ?? []; // of an option, which may find less than it should
      if (!first) return refuse(new NoAddress(`${hostname} has no address.`));
      try {
        for (const { address } of addresses) requireAllowed(address, transport);
      } catch (refusal) {
        return refuse(refusal as Error);
      }
      return options.all ? callback(null, addresses) : callback(null, first.address, first.family);
    });
}

function requireAllowed(address: string, { allow }: TransportOptions): void {
  if (!isPublic(address) && allow?.(address) !== true) throw new NoAddress(`Webhooks are not sent to ${address}.`);
}

import type { IncomingMessage } from 'node:http';
import { request as requestByHttp } from 'node:http';
import { request as requestByHttps } from 'node:https';
import { fillIn } from '../../options.ts';
import type { SignerOf } from './sign.ts';
import { compileLookup, legalTransport, NoAddress, readUrl, type TransportOptions } from './transport.ts';

/** An event on its way to one receiver. */
interface Message {
  /** The same for each attempt, so that the receiver can tell a repetition. */
  readonly id: string;
  /** JSON text. */
  readonly body: string;
  readonly url: string;
  /** The secrets that sign: two for a while after the secret was changed. */
  readonly secrets: readonly string[];
}

/**
 * Why there was no answer: the time was over; the name is not known, or webhooks are not sent to its address; the
 * certificate is not valid; or the connection was refused or broken.
 */
type Failure = 'timeout' | 'address' | 'certificate' | 'connection';

/** What has become of a message. */
export interface Outcome {
  /** The status of the answer. Undefined if there was none. */
  readonly status?: number;
  readonly failure?: Failure;
  /** The text of the failure, for those who run the service. */
  readonly detail?: string;
  /** How long the receiver asks to be left alone, in milliseconds. */
  readonly retryAfter?: number;
  /** In milliseconds. */
  readonly duration: number;
}

/** Sends a message once. Throws only if the signal is aborted. */
export type Send = (message: Message, signal?: AbortSignal) => Promise<Outcome>;

/** The most bytes of an answer that are read. They are not kept: an answer can only say more by its status. */
const mostOfAnswer = 64 * 1024;
/** The longest pause that a receiver may ask for, in milliseconds. */
const longestRetryAfter = 3_600_000;

/** Compiles the sending of messages. No redirect is followed, and no connection is kept. */
export function compileSend(transport: TransportOptions, signerOf: SignerOf): Send {
  const { timeout, ca } = fillIn(transport, legalTransport);
  const lookup = compileLookup(transport);

  return async function send({ id, body, url, secrets }, caller) {
    const begun = performance.now();
    const outcome = (what: Omit<Outcome, 'duration'>): Outcome => ({ ...what, duration: Math.round(performance.now() - begun) });
    const late = AbortSignal.timeout(timeout);
    const signal = caller ? AbortSignal.any([late, caller]) : late;
    const at = new Date();
    const headers = {
      'content-type': 'application/json',
      'content-length': String(Buffer.byteLength(body)),
      'user-agent': 'koa-mongo-resource',
      'webhook-id': id,
      'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
      'webhook-signature': secrets.map((secret) => signerOf(secret).sign(id, at, body)).join(' '),
    };
    try {
      const to = readUrl(url, transport);
      const options = { method: 'POST', headers, agent: false, lookup, signal, ...(ca !== undefined && { ca: ca as string }) } as const;
      const { status, retryAfter } = await exchange(to, options, body);
      return outcome({ status, ...([429, 503].includes(status) && retryAfter !== undefined && { retryAfter }) });
    } catch (error) {
      caller?.throwIfAborted();
      const detail = late.aborted ? `No answer within ${timeout} ms.` : textOf(error as NodeJS.ErrnoException);
      return outcome({ failure: late.aborted ? 'timeout' : failureOf(error as NodeJS.ErrnoException), detail });
    }
  };
}

interface Answer {
  readonly status: number;
  readonly retryAfter: number | undefined;
}

/** Resolves when the answer has ended, or was cut: its status counts, whatever becomes of its body. */
function exchange(url: URL, options: Parameters<typeof requestByHttps>[1] & object, body: string): Promise<Answer> {
  return new Promise((resolve, reject) => {
    let answer: Answer | undefined;
    const end = (error?: Error) => (answer ? resolve(answer) : reject(error ?? new Error('The connection was closed.')));
    const request = (url.protocol === 'https:' ? requestByHttps : requestByHttp)(url, options, (response) => {
      answer = { status: response.statusCode ?? 0, retryAfter: readRetryAfter(response.headers['retry-after']) };
      response.on('error', end).on('close', end);
      readSome(response);
    });
    request.on('error', end).on('close', () => end());
    request.end(body);
  });
}

/** Reads an answer and forgets it, so that its sender is not disturbed, and cuts one that is too long. */
function readSome(response: IncomingMessage): void {
  let length = 0;
  response.on('data', (chunk: Buffer) => {
    length += chunk.length;
    if (length > mostOfAnswer) response.destroy();
  });
}

/** Reads `Retry-After` (RFC 9110 §10.2.3), within bounds. */
function readRetryAfter(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const wait = /^\d{1,9}$/.test(text) ? Number(text) * 1_000 : Date.parse(text) - Date.now();
  return Number.isNaN(wait) ? undefined : Math.min(Math.max(wait, 0), longestRetryAfter);
}

/** An error about several addresses has only a code. */
function textOf({ message, code = 'an unknown error' }: NodeJS.ErrnoException): string {
  return message === '' ? code : message;
}

function failureOf(error: NodeJS.ErrnoException): Failure {
  if (error instanceof NoAddress) return 'address';
  return /^(CERT_|CRL_|DEPTH_ZERO|EPROTO|ERR_SSL|ERR_TLS|HOSTNAME_MISMATCH|INVALID_CA|SELF_SIGNED|UNABLE_TO)/.test(error.code ?? '')
    ? 'certificate'
    : 'connection';
}

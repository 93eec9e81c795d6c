import type { ServerResponse } from 'node:http';
import type { ServerHttp2Stream } from 'node:http2';

const INTERNAL_ERROR = 0x02; // RFC 9113 §7

/** Ends an answer so that it does not look complete. Over HTTP/2, one that is only destroyed does. */
export function cutOff(response: ServerResponse & { readonly stream?: ServerHttp2Stream }): void {
  if (response.stream) response.stream.close(INTERNAL_ERROR);
  else response.destroy();
}

import { METHODS } from 'node:http';

/** The methods of `Allow` with QUERY as the last one, if the HTTP parser of this Node knows it: 20.19 does not. */
export function withQuery(methods: string): string {
  return METHODS.includes('QUERY') ? `${methods}, QUERY` : methods;
}

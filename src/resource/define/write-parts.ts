import type { ResourceMiddleware } from '../../middleware/exchange/context.ts';
import type { CompiledResource } from './compiled-resource.ts';

type Chain = readonly ResourceMiddleware[];

/** The parts of the chain of a write that resources share. */
export interface WriteParts {
  readonly guard: (r: CompiledResource, name: string) => Chain;
  readonly rows: (r: CompiledResource) => Chain;
  readonly match: (r: CompiledResource) => ResourceMiddleware;
  readonly prior: (r: CompiledResource, name: string) => Chain;
  readonly writing: (r: CompiledResource, name: string, write: ResourceMiddleware, answering: ResourceMiddleware) => Chain;
}

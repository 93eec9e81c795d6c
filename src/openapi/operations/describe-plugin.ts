import type { PluginWrite } from '../../resource/table/row.ts';
import type { DocumentPart } from '../document.ts';
import type { Particulars, ResourceContext } from './describe-operation.ts';
import { ifMatch, unlessMatch } from './headers.ts';

/** How the reads of a plug-in are described, by the names of their rows. */
export interface DescribedReads {
  /** Those that are operations of their own. */
  readonly operations?: Readonly<Record<string, (context: ResourceContext) => Particulars>>;
  /** Those that answer some of the requests of a list or a get: what they add to its description. */
  readonly variants?: Readonly<Record<string, (context: ResourceContext) => Variation>>;
}

/** What is told of a variant of an answer, with the operation in whose place it is answered. */
export interface Variation {
  /** A further sentence about the operation, which begins with a space. */
  readonly description?: string;
  readonly parameters?: readonly DocumentPart[];
  /** Headers that its requests may have: parameters that come last. */
  readonly headers?: readonly DocumentPart[];
  /** A further sentence about the answer, which begins with a space. */
  readonly answer?: string;
  /** The media types of its answer, where it is another one than that of the operation. */
  readonly content?: DocumentPart;
  /** The schemas of members that may stand beside the record. */
  readonly beside?: DocumentPart;
}

/** All variants of the answers of an operation. */
export interface Variants extends Required<Variation> {
  /** Whether `Accept` chooses one of them. */
  readonly isNegotiated: boolean;
}

/** Describes a write of one record that a plug-in has. */
export function describePlugin(context: ResourceContext, { summary, description, done }: PluginWrite): Particulars {
  const parameters = [ifMatch(context), unlessMatch(context.components)];
  return { summary, description, parameters, answers: { 204: { description: done } } };
}

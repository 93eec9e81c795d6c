import type { ProblemDocument } from '../../../errors.ts';
import type { Kept } from '../kept-bytes.ts';
import type { ListOutline, Outline } from './outline.ts';
import { itemOf, type ListState, type State } from './state.ts';

/** An event, as bytes in one or several parts. */
export interface Frame extends Kept {
  readonly parts: readonly Buffer[];
}

const lineFeeds = Buffer.from('\n\n');
/** Events of up to so many bytes are sent in one part. */
const smallBytes = 16_384;

/** A comment, which keeps proxies from closing the connection. */
export const comment = frameOf([Buffer.from(':\n\n')]);

/** Tells clients how long to wait before they connect again, in milliseconds. Each is told another time. */
export function retryFrame(): Frame {
  return frameOf([Buffer.from(`retry: ${1_000 + Math.floor(Math.random() * 4_000)}\n\n`)]);
}

/** The last event of a stream. */
export function endFrame(problem: ProblemDocument): Frame {
  return frame('end', undefined, [JSON.stringify({ problem })]);
}

/** Says that the client has the state already. */
export function sameFrame({ outline: { digest } }: State): Frame {
  return frame('same', digest, ['{}']);
}

/** By outlines, because a state that is read again has the same one: who begins later shares what others still take. */
const wholes = new WeakMap<Outline, WeakRef<Frame>>();
const changes = new WeakMap<State, Map<Outline, Frame>>();

/** The event that brings a client to a state from the one that it has. Those who go the same way share its bytes. */
export function frameTo(state: State, from: Outline | undefined): Frame {
  return from ? changeTo(state, from) : wholeOf(state);
}

function wholeOf(state: State): Frame {
  const known = wholes.get(state.outline)?.deref();
  if (known) return known;
  const made = wholeFrame(state);
  wholes.set(state.outline, new WeakRef(made));
  return made;
}

function changeTo(state: State, from: Outline): Frame {
  const known = changes.get(state) ?? new Map<Outline, Frame>();
  changes.set(state, known);
  const made = known.get(from) ?? changeFrame(from, state);
  known.set(from, made);
  return made;
}

function wholeFrame(state: State): Frame {
  const { digest } = state.outline;
  if (state.kind === 'list') return frame('page', digest, ['{"data":', state.json, `,"page":${state.outline.page}}`]);
  if (!state.json) return frame('gone', digest, ['{}']);
  const etag = state.entityTag === undefined ? '' : `,"etag":${JSON.stringify(state.entityTag)}`;
  return frame('record', digest, ['{"data":', state.json, `${etag}}`]);
}

/** A change that would have more bytes than the whole state is sent as that, and so is one whose ids are not clear. */
function changeFrame(from: Outline, to: State): Frame {
  const all = wholeOf(to);
  if (from.kind !== 'list' || to.kind !== 'list' || !from.hasClearIds || !to.outline.hasClearIds) return all;
  const change = partsOf('change', to.outline.digest, ['{', ...joined(membersOf(from, to)), '}']);
  const bytes = lengthOf(change);
  if (bytes >= all.bytes) return all;
  return frameOf(bytes <= smallBytes ? change : [Buffer.concat(change.slice(0, -1)), lineFeeds]); // a part would keep the state in memory
}

type Chunk = Buffer | string;

function membersOf(from: ListOutline, to: ListState): Chunk[][] {
  const { json, ends, outline } = to;
  const order = [...outline.prints.keys()];
  const put = order.flatMap((id, index) =>
    from.prints.get(id) === outline.prints.get(id) ? [] : [{ id, json: itemOf(json, ends, index) }],
  );
  const removed = [...from.prints.keys()].filter((id) => !outline.prints.has(id));
  const stays = [...from.prints.keys()].filter((id) => outline.prints.has(id));
  const known = [...stays, ...put.map(({ id }) => id).filter((id) => !from.prints.has(id))];
  return [
    put.length > 0 ? ['"put":[', ...commas(put.map((one) => one.json)), ']'] : [],
    removed.length > 0 ? [`"remove":[${removed.join()}]`] : [],
    order.some((id, index) => id !== known[index]) ? [`"order":[${order.join()}]`] : [],
    from.page === outline.page ? [] : ['"page":', outline.page],
  ].filter((member) => member.length > 0);
}

function joined(members: readonly Chunk[][]): Chunk[] {
  return members.flatMap((member, index) => (index > 0 ? [',', ...member] : member));
}

function commas(parts: readonly Buffer[]): Chunk[] {
  return parts.flatMap((part, index) => (index > 0 ? [',', part] : [part]));
}

/** An event of `text/event-stream`. JSON has no line feeds but those that were written into it: none here. */
function frame(event: string, id: string | undefined, data: readonly Chunk[]): Frame {
  return frameOf(partsOf(event, id, data));
}

function partsOf(event: string, id: string | undefined, [first = '', ...others]: readonly Chunk[]): Buffer[] {
  const head = `event: ${event}\n${id === undefined ? '' : `id: ${id}\n`}data: `;
  return [`${head}${first}`, ...others].map((part) => (typeof part === 'string' ? Buffer.from(part) : part)).concat(lineFeeds);
}

/** The parts of a large event are not copied. The last one is short: a client that takes it has taken the others. */
function frameOf(parts: readonly Buffer[]): Frame {
  const bytes = lengthOf(parts);
  return { parts: bytes <= smallBytes && parts.length > 1 ? [Buffer.concat(parts)] : parts, bytes };
}

function lengthOf(parts: readonly Buffer[]): number {
  return parts.reduce((bytes, part) => bytes + part.length, 0);
}

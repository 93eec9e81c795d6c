import type { ProblemDocument } from '../errors.ts';
import type { ListState, State } from './state.ts';

/** A comment, which keeps proxies from closing the connection. */
export const comment = Buffer.from(':\n\n');

/** Tells clients how long to wait before they connect again, in milliseconds. Each is told another time. */
export function retryFrame(): Buffer {
  return Buffer.from(`retry: ${1_000 + Math.floor(Math.random() * 4_000)}\n\n`);
}

/** The last event of a stream. */
export function endFrame(problem: ProblemDocument): Buffer {
  return frame('end', undefined, [JSON.stringify({ problem })]);
}

/** Says that the client has the state already. */
export function sameFrame({ digest }: State): Buffer {
  return frame('same', digest, ['{}']);
}

const whole = new WeakMap<State, Buffer>();
const changes = new WeakMap<State, WeakMap<State, Buffer>>();

/** The event that brings a client from one state to another. Those who go the same way share its bytes. */
export function frameTo(state: State, from: State | undefined): Buffer {
  if (!from) return kept(whole, state, () => wholeFrame(state));
  const known = kept(changes, from, () => new WeakMap<State, Buffer>());
  return kept(known, state, () => changeFrame(from, state));
}

function kept<Key extends object, Value>(map: WeakMap<Key, Value>, key: Key, make: () => Value): Value {
  const value = map.get(key) ?? make();
  map.set(key, value);
  return value;
}

function wholeFrame(state: State): Buffer {
  const { digest } = state;
  if (state.kind === 'list') return frame('page', digest, ['{"data":', state.json, ',"page":', state.page, '}']);
  if (!state.json) return frame('gone', digest, ['{}']);
  const etag = state.entityTag === undefined ? '' : `,"etag":${JSON.stringify(state.entityTag)}`;
  return frame('record', digest, ['{"data":', state.json, `${etag}}`]);
}

/** A change that would have more bytes than the whole state is sent as that, and so is one whose ids are not clear. */
function changeFrame(from: State, to: State): Buffer {
  const all = frameTo(to, undefined);
  if (from.kind !== 'list' || to.kind !== 'list' || !from.hasClearIds || !to.hasClearIds) return all;
  const change = frame('change', to.digest, ['{', ...joined(membersOf(from, to)), '}']);
  return change.length < all.length ? change : all;
}

type Part = Buffer | string;

function membersOf(from: ListState, to: ListState): Part[][] {
  const put = [...to.records].filter(([id, json]) => !from.records.get(id)?.equals(json));
  const removed = [...from.records.keys()].filter((id) => !to.records.has(id));
  const stays = [...from.records.keys()].filter((id) => to.records.has(id));
  const known = [...stays, ...put.map(([id]) => id).filter((id) => !from.records.has(id))];
  const order = [...to.records.keys()];
  return [
    put.length > 0 ? ['"put":[', ...commas(put.map(([, json]) => json)), ']'] : [],
    removed.length > 0 ? [`"remove":[${removed.join()}]`] : [],
    order.some((id, index) => id !== known[index]) ? [`"order":[${order.join()}]`] : [],
    from.page === to.page ? [] : ['"page":', to.page],
  ].filter((member) => member.length > 0);
}

function joined(members: readonly Part[][]): Part[] {
  return members.flatMap((member, index) => (index > 0 ? [',', ...member] : member));
}

function commas(parts: readonly Buffer[]): Part[] {
  return parts.flatMap((part, index) => (index > 0 ? [',', part] : [part]));
}

/** An event of `text/event-stream`. JSON has no line feeds but those that were written into it: none here. */
function frame(event: string, id: string | undefined, data: readonly Part[]): Buffer {
  const head = `event: ${event}\n${id === undefined ? '' : `id: ${id}\n`}data: `;
  return Buffer.concat([head, ...data, '\n\n'].map((part) => (typeof part === 'string' ? Buffer.from(part) : part)));
}

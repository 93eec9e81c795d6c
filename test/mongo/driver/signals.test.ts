import { getEventListeners } from 'node:events';
import type { CommandPlan } from '../../../src/mongo/driver/command-plan.ts';
import type { Reachability } from '../../../src/mongo/driver/reachability.ts';
import { giveBack, takeController } from '../../../src/mongo/driver/signals.ts';
import { type Command, Work } from '../../../src/mongo/driver/work.ts';

const once = { once: true };

describe('a controller that is used again', () => {
  it('has a genuine signal', () => {
    const controller = takeController();
    expect(controller.signal).toBeInstanceOf(AbortSignal);
    const composed = AbortSignal.any([controller.signal]);
    controller.abort('reason');
    expect([controller.signal.aborted, controller.signal.reason, composed.reason]).toEqual([true, 'reason', 'reason']);
    expect(() => controller.signal.throwIfAborted()).toThrow('reason');
  });

  it('calls each listener once, with the signal as `this`, and none that was removed', () => {
    const controller = takeController();
    const { signal } = controller;
    const reasons: unknown[] = [];
    const note = function (this: AbortSignal) {
      reasons.push(this.reason);
    };
    const removed = jest.fn();
    const others = [jest.fn(), jest.fn()] as const;
    for (const listener of [note, note, removed]) signal.addEventListener('abort', listener, once);
    signal.addEventListener('abort', others[0]);
    signal.addEventListener('abort', others[1], { once: true, passive: true });
    signal.removeEventListener('abort', removed);
    controller.abort('reason');
    controller.abort('another');
    expect(reasons).toEqual(['reason']);
    expect(removed).not.toHaveBeenCalled();
    for (const other of others) expect(other).toHaveBeenCalledTimes(1);
  });

  it('removes the other kinds of listeners, too', () => {
    const { signal } = takeController();
    const before = getEventListeners(signal, 'abort').length;
    const listener = jest.fn();
    signal.addEventListener('abort', listener);
    signal.removeEventListener('abort', listener);
    expect(getEventListeners(signal, 'abort')).toHaveLength(before);
  });

  it('is taken again when it was given back and no one listens', () => {
    const controller = takeController();
    const listener = jest.fn();
    controller.signal.addEventListener('abort', listener, once);
    controller.signal.removeEventListener('abort', listener);
    giveBack(controller);
    expect(takeController()).toBe(controller);
  });

  it.each<[string, (controller: ReturnType<typeof takeController>) => void]>([
    ['was aborted', (controller) => controller.abort('reason')],
    ['has a listener', ({ signal }) => signal.addEventListener('abort', () => undefined, once)],
    ['has had a listener of another kind', ({ signal }) => signal.addEventListener('abort', () => undefined)],
  ])('is not taken again if it %s', (_name, spoil) => {
    const controller = takeController();
    spoil(controller);
    giveBack(controller);
    expect(takeController()).not.toBe(controller);
  });
});

describe('the signal of a command', () => {
  const reachability = { isAway: () => false, watch: () => undefined, forget: () => undefined } as unknown as Reachability;
  const plan: CommandPlan = { isWrite: false, need: 'any', maxTimeMS: 500, reachability, explain: (error) => error };
  const signalOf = (work: Work) => work.run(plan, async ({ signal }) => signal);

  it('belongs to another command when its own has its answer, which nothing that ends the first one reaches', async () => {
    let first: Command | undefined;
    const work = new Work();
    const signal = await work.run(plan, async (command) => {
      first = command;
      return command.signal;
    });
    const aborted = await new Work().run(plan, async (second) => {
      expect(second.signal).toBe(signal);
      first?.abort(new Error('late'));
      first?.cancel();
      work.giveUp(new Error('late'));
      return second.signal.aborted;
    });
    expect(aborted).toBe(false);
  });

  it('is not used again after an error or an abort', async () => {
    const signals: AbortSignal[] = [];
    const work = new Work();
    const failed = work.run(plan, async ({ signal }) => {
      signals.push(signal);
      throw new Error('failed');
    });
    await expect(failed).rejects.toThrow('failed');
    const left = work.run(plan, ({ signal }) => {
      signals.push(signal);
      return new Promise(() => undefined);
    });
    work.leave(new Error('gone'));
    await expect(left).rejects.toThrow('gone');
    expect(signals.map(({ aborted }) => aborted)).toEqual([true, true]);
    expect(signals).not.toContain(await signalOf(new Work()));
  });
});

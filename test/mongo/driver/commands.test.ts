import { EventEmitter } from 'node:events';
import type { Db } from 'mongodb';
import { defineModel, t } from '../../../src/index.ts';
import { compileModel } from '../../../src/model/compile/compile-model.ts';
import { planCommands } from '../../../src/mongo/driver/commands.ts';
import { type Command, Work } from '../../../src/mongo/driver/work.ts';

const model = compileModel(defineModel('Doc', { collection: 'docs', fields: { text: t.string() } }));
const commands = planCommands(model, { client: new EventEmitter() } as unknown as Db, { readPreference: undefined }, 500);

/**
 * Fails so often as Node's sockets do, which the driver does not try again, and then gives `done`; counts its calls.
 */
function breaking(times: number): { readonly send: (command: Command) => Promise<string>; calls: number } {
  const broken = {
    calls: 0,
    async send(command: Command) {
      (command.handOver({}) as { toBSON(): unknown }).toBSON();
      if (broken.calls++ < times) throw Object.assign(new Error('write EPIPE'), { code: 'EPIPE' });
      return 'done';
    },
  };
  return broken as ReturnType<typeof breaking>;
}

describe('planCommands()', () => {
  it.each(['readOne', 'readMany', 'readLatest'] as const)('tries a read once more when its socket breaks: %s', async (read) => {
    const once = breaking(1);
    expect([await commands[read](new Work(), once.send), once.calls]).toEqual(['done', 2]);
    const always = breaking(Number.POSITIVE_INFINITY);
    await expect(commands[read](new Work(), always.send)).rejects.toMatchObject({ code: 'database_unavailable' });
    expect(always.calls).toBe(2);
  });

  it('never tries a write again: nobody knows what became of it', async () => {
    const once = breaking(1);
    await expect(commands.write(new Work(), once.send)).rejects.toMatchObject({ code: 'write_outcome_unknown' });
    expect(once.calls).toBe(1);
  });
});

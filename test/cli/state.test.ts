import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import type { Audit } from '../../src/audit/audit-collection.ts';
import { openState } from '../../src/cli/audit/state.ts';
import { useTemporaryFolder } from '../support/temporary-folder.ts';

const folder = useTemporaryFolder();
const file = () => join(folder.path, 'state.json');

const audit = (model: string, isComplete: boolean, records = 1): Audit => ({
  model,
  collection: model.toLowerCase(),
  isComplete,
  records,
  estimate: 10,
  misfitting: 0,
  misfits: [],
  unknownKeys: [],
  omitted: 0,
});

describe('the state of audits', () => {
  it('is in the file from the first result on, and completely at the end', async () => {
    const state = await openState(file());
    expect(state.find('A')).toBeUndefined();
    await state.keep(audit('A', false, 1));
    expect((await openState(file())).find('A')).toEqual(audit('A', false, 1));
    await state.keep(audit('A', false, 2));
    await state.close(false);
    expect((await openState(file())).find('A')).toEqual(audit('A', false, 2));
  });

  it('stays if one model is complete, and the next one was not begun', async () => {
    const state = await openState(file());
    await state.keep(audit('A', true));
    await state.close(false);
    expect((await openState(file())).find('A')).toEqual(audit('A', true));
  });

  it('is removed when all is complete, but not if the file has the state of another model that is not', async () => {
    const state = await openState(file());
    await state.keep(audit('B', false));
    await state.close(false);
    const second = await openState(file());
    await second.keep(audit('A', true));
    await second.close(true);
    expect(JSON.parse(await readFile(file(), 'utf8'))).toEqual({ audits: [audit('B', false), audit('A', true)] });
    const third = await openState(file());
    await third.keep(audit('B', true));
    await third.close(true);
    expect(existsSync(file())).toBe(false);
  });

  it('makes no file if there is nothing to keep, and none without a path', async () => {
    await (await openState(file())).close(false);
    expect(existsSync(file())).toBe(false);
    const none = await openState(undefined);
    await none.keep(audit('A', false));
    await none.close(false);
    expect(none.find('A')).toBeUndefined();
  });
});

import { applyIndexes, defineModel, planIndexes, service, t } from '../../../src/index.ts';
import { useCommands } from '../../support/database/commands.ts';
import { useDatabase } from '../../support/database/database.ts';
import { useExplain } from '../../support/database/explain.ts';
import { useApi } from '../../support/http/api.ts';

const Note = defineModel('Note', {
  collection: 'notes',
  fields: { id: t.string({ policy: { insert: true } }), text: t.string(), revision: t.revision() },
  history: { keep: '90d' },
});
const Log = defineModel('Log', { collection: 'logs', fields: { text: t.string(), revision: t.revision() }, history: true });

const database = useDatabase({ monitorCommands: true });
const commands = useCommands(database);
const explain = useExplain(database, commands);
const api = useApi(database, (shop) => [shop.resource({ model: Note, history: true })]);
const build = () => {
  const shop = service();
  return shop.api({ db: database.db, resources: [shop.resource({ model: Note, history: true })], models: [Log] });
};

beforeAll(async () => {
  await applyIndexes(build());
});

describe('the indexes of a history', () => {
  it('are planned for each model that has one, and one that removes old entries where they are kept for some time', async () => {
    const { collections } = await planIndexes(build());
    const keys = (name: string) => {
      const found = collections.find(({ collection }) => collection === name);
      return found && [...found.existing, ...found.missing].map(({ key, options }) => [Object.fromEntries(key as never), options]);
    };
    const ofRecord = [{ record: 1, life: 1, revision: -1 }, {}];
    expect(keys('notes_history')).toEqual([ofRecord, [{ at: 1 }, { expireAfterSeconds: 90 * 86_400 }]]);
    expect(keys('logs_history')).toEqual([ofRecord]);
    expect(collections.flatMap(({ missing, conflicting }) => [...missing, ...conflicting])).toEqual([]);
  });

  it('give a page of the changes in its order, and read no more than it has', async () => {
    await api.request('POST', '/api/notes', { body: { id: 'n', text: 't' } });
    for (let index = 0; index < 30; index++) await api.request('PATCH', '/api/notes/n', { body: { text: `t${index}` } });
    commands.clear();
    const { body } = await api.request('GET', '/api/notes/n/history?limit=3');
    expect(body.data).toHaveLength(3);
    const { stages, indexes, documents } = await explain();
    expect([...indexes]).toEqual(['record_1_life_1_revision_-1']);
    expect(stages).not.toContain('SORT');
    expect(documents).toBe(4);
    await api.request('GET', `/api/notes/n/history?limit=3&after=${body.page.next_cursor}`);
    const further = await explain();
    expect([...further.indexes]).toEqual(['record_1_life_1_revision_-1']);
    expect(further.stages).not.toContain('SORT');
    expect(further.documents).toBeLessThan(8);
  });
});

import { defineModel, openapiDocument, service, t } from '../../../src/index.ts';
import type { Any } from '../../support/any.ts';
import { useDatabase } from '../../support/database/database.ts';

const Row = defineModel('Row', { collection: 'rows', fields: { id: t.string() } });
const database = useDatabase();

describe('the description of a list with an export', () => {
  it('says so, and has its problems; the answer is a page for generated clients', () => {
    const shop = service();
    const api = shop.api({
      db: database.db,
      resources: [
        shop.resource({ model: Row, ops: ['list'], export: { max: 5 }, guardsFor: { export: [() => true] } }),
        shop.resource({ model: Row, ops: ['list'], path: 'pages' }),
      ],
    });
    const { paths } = openapiDocument(api) as Any;
    const whole = paths['/rows'].get;
    const paged = paths['/pages'].get;
    for (const { post, get } of [paths['/rows'], paths['/rows/query']]) {
      const { description, responses } = post ?? get;
      expect(description).toMatch(/`Accept: application\/x-ndjson` or `text\/csv` .* at most 5/);
      expect(Object.keys(responses[200].content)).toEqual(['application/json']);
      expect(Object.keys(responses)).toEqual(expect.arrayContaining(['403', '422', '503']));
    }
    expect(JSON.stringify([paged, paths['/pages/query']])).not.toContain('ndjson');
    const extra = Object.keys(whole.responses).filter((status) => !(status in paged.responses));
    expect(extra).toEqual(expect.arrayContaining(['403', '422']));
    expect(Object.keys(paths)).not.toContain('/rows/export');
  });
});

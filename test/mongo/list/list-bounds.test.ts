import { compileModel } from '../../../src/model/compile/compile-model.ts';
import { defineModel } from '../../../src/model/define/define-model.ts';
import { t } from '../../../src/model/define/t.ts';
import { noRelations } from '../../../src/model/relations/includable.ts';
import { parseListQuery } from '../../../src/mongo/list/parse-list-query.ts';
import { cursorPaging } from '../../../src/resource/define/paging.ts';

const names = Array.from({ length: 32 }, (_, index) => `f${index}`);
const sortable = t.int({ policy: { sort: true } });
const fields = { id: t.int(), ...Object.fromEntries(names.map((name) => [name, sortable])) };
const { clientFields } = compileModel(defineModel('Wide', { collection: 'wide', fields }));
const rules = {
  resource: 'wide',
  fields: clientFields,
  paging: cursorPaging(),
  selector: undefined,
  includes: noRelations,
  maxFilterValues: 500,
  maxPrefix: 1000,
  maxContainsMatches: 10,
  maxSortKeys: 32,
};
const parse = (parameters: Record<string, string>) =>
  parseListQuery(
    Object.entries(parameters).map(([name, value]) => ({ name, value })),
    rules,
  );

describe('a list query that the database could not run', () => {
  it('is 400 for more sort keys than it takes, the id included', () => {
    expect(parse({ sort: names.slice(0, 31).join(',') }).sort).toHaveLength(32);
    expect(() => parse({ sort: names.join(',') })).toThrow(expect.objectContaining({ code: 'invalid_query', status: 400 }));
  });
});

import { connect } from '../../products/mcp/connect.ts';
import { useCommands } from '../../support/database/commands.ts';
import { useDatabase } from '../../support/database/database.ts';
import { seedNotes, useNotes } from './notes.ts';

const database = useDatabase({ monitorCommands: true });
const commands = useCommands(database);
const notes = useNotes(database);
const { find } = notes;
const q = (text: string, more = '') => `q=${encodeURIComponent(text)}${more}`;

beforeAll(async () => {
  await database.db.collection<{ _id: string }>('tags').insertMany([
    { _id: 't1', name: 'b' },
    { _id: 't2', name: 'a' },
  ] as never);
  await database.db.collection<{ _id: string }>('notebooks').insertOne({ _id: 'n1' } as never);
  await seedNotes(database, [
    { _id: '1', title: 'Fresh milk', size: 3, tag: 't1', notebook: 'n1', language: 'klingon' },
    { _id: '2', title: 'Old milk', tags: ['fresh', 'cold'], size: 1, tag: 't2' },
    { _id: '3', title: 'Coffee', place: { text: 'with fresh milk' }, size: 2 },
    { _id: '4', title: 'Buttermilk', lines: [{ text: 'x' }, { text: 'fresh from the Café' }], size: 5, notebook: 'n1' },
    { _id: '5', title: 'Fresh milk', deletedAt: new Date(), size: 4 },
    { _id: '6', title: 'back\\slash "quoted" a@b.example -minus C++ the', size: 7 },
    { _id: '7', title: 'Fresh milk fresh milk fresh milk', tenant: 'ben', size: 9 },
  ]);
});
beforeEach(() => commands.clear());

describe('q of a list', () => {
  it.each([
    ['a word, with its best match first', 'milk', '1 2 3'],
    ['whole words, whatever their case and accents', 'CAFE', '4'],
    ['no part of a word', 'butter', ''],
    ['all words, in any field', 'fresh milk', '1 2 3 4'],
    ['all words, in any order', 'milk fresh', '1 2 3 4'],
    ['words as they are written: one of them whole, the others also within words', 'fresh butter', '4'],
    ['a phrase in quotes', '"fresh milk"', '1 3'],
    ['a phrase and a word', 'coffee "fresh milk"', '3'],
    ['a quote that does not end', '"fresh milk', '1 3'],
    ['items of arrays', 'cold', '2'],
    ['objects in arrays', 'from', '4'],
    ['a word that nobody has', 'fresh absent', ''],
    ['words without endings taken off', 'quote', ''],
    ['every word, in a model without a language', 'the', '6 4'],
    ['a backslash as it is', '"back\\slash"', '6'],
    ['a backslash at the end, which does not take the quote with it', 'back\\ slash', '6'],
    ['an address', 'a@b.example', '6'],
    ['a minus as a part of the text', '-minus', '6'],
    ['signs beside a word', 'c++', '6'],
    ['a sign alone, which is no word', '+', ''],
  ])('finds %s', async (_what, text, ids) => {
    expect(await find(q(text))).toBe(ids);
  });

  it.each(['milk -fresh', '-fresh milk', '"milk" -"fresh"', '"milk"-fresh', '"milk" "-fresh"', 'milk" -fresh "'])(
    'cannot exclude a word: %s',
    async (text) => {
      const all = (await find(q('milk'))).split(' ');
      const found = (await find(q(text))).split(' ').filter(Boolean);
      expect(found.filter((id: string) => all.includes(id) && id === '3')).toEqual([]); // 3 has both words, 2 too
      expect(found.includes('6')).toBe(false);
    },
  );

  it('is one page in the order of relevance, which has no cursor and no link', async () => {
    const { body, headers } = await notes.send('GET', `notes?${q('milk')}&limit=2&total=true`);
    expect(body.data.map(({ id }: { id: string }) => id)).toEqual(['1', '2']);
    expect(body.page).toEqual({ size: 2, has_next: true, next_cursor: null, prev_cursor: null, total: 3 });
    expect(headers.link).toBeUndefined();
  });

  it('is one page of a list by number, too', async () => {
    const { body, headers } = await notes.send('GET', `numbered?${q('milk')}&limit=2&total=true`);
    expect(body.page).toEqual({ size: 2, number: 1, has_next: true, total: 3 });
    expect(headers.link).toBeUndefined();
    expect(await find(q('milk', '&page=1'), 'ann', 'numbered')).toBe('400 invalid_query page conflicting_parameter');
    expect(await find(q('milk', '&page=2&limit=2&sort=-size'), 'ann', 'numbered')).toBe('2');
  });

  it('is one command', async () => {
    await find(q('fresh milk', '&size[gte]=2'));
    expect(commands.names).toEqual(['find']);
  });

  it('orders equal matches by their ids', async () => {
    await seedMore(['b', 'a', 'c'].map((_id) => ({ _id, title: 'equal', tenant: 'eve' })));
    expect(await find(q('equal'), 'eve')).toBe('a b c');
  });

  it('sorts the matches where a sort is given, by pages with cursors that belong to the search', async () => {
    const first = await notes.send('GET', `notes?${q('milk fresh')}&sort=-size&limit=2`);
    expect(first.body.data.map(({ id }: { id: string }) => id)).toEqual(['4', '1']);
    const cursor = first.body.page.next_cursor;
    expect(await find(q('milk  "fresh"', `&sort=-size&limit=2&after=${cursor}`))).toBe('3 2');
    expect(await find(q('milk', `&sort=-size&limit=2&after=${cursor}`))).toBe('400 invalid_cursor');
    expect(await find(`sort=-size&limit=2&after=${cursor}`)).toBe('400 invalid_cursor');
    const second = await notes.send('GET', `notes?${q('milk fresh')}&sort=-size&limit=2&after=${cursor}`);
    expect(await find(q('milk fresh', `&sort=-size&limit=2&before=${second.body.page.prev_cursor}`))).toBe('4 1');
  });

  it('refuses a cursor without a sort', async () => {
    const { body } = await notes.send('GET', `notes?${q('milk')}&sort=size&limit=1`);
    expect(await find(q('milk', `&after=${body.page.next_cursor}`))).toBe('400 invalid_query after conflicting_parameter');
    expect(await find(q('milk', '&before=x'))).toBe('400 invalid_query before conflicting_parameter');
    expect(await find(q('milk', '&page=1'))).toBe('400 invalid_query page not_available');
  });

  it('sorts no more matches than it may', async () => {
    await seedMore(Array.from({ length: 6 }, (_, index) => ({ _id: `z${index}`, title: 'many', tenant: 'zoe', size: index })));
    expect(await find(q('many', '&limit=2'), 'zoe')).toBe('z0 z1');
    expect(await find(q('many', '&limit=2&sort=-size'), 'zoe')).toBe('422 too_many_matches');
    expect(await find(q('many', '&limit=2&sort=-size&size[gt]=0'), 'zoe')).toBe('z5 z4');
    const { body } = await notes.send('GET', `notes?${q('many')}&sort=size`, { headers: { authorization: 'zoe' } });
    expect(body.detail).toBe(
      'More than 5 records match `q`, too many to be sorted. Look for more words, or narrow the list by filters, or leave out `sort`.',
    );
  });

  it.each([
    ['a filter', '&size[gte]=2', '1 3'],
    ['the parameter filter', `&filter=${encodeURIComponent('size = 1 OR size = 2')}`, '2 3'],
    ['a negation', `&filter=${encodeURIComponent('NOT size = 1')}`, '1 3'],
    ['a filter through a relation', '&tag.name=b', '1'],
    ['a sort through a relation', '&sort=tag.name', '3 2 1'],
    ['chosen fields', '&fields=title', '1 2 3'],
    ['included records', '&include=tag', '1 2 3'],
    ['deleted records', '&deleted=with', '1 2 5 3'],
    ['deleted records only', '&deleted=only', '5'],
    ['an estimate, which it refuses', '&total=estimate', '400 invalid_query total not_estimable'],
    ['an operator of a field with its name', '&q[prefix]=x', ''],
  ])('stands beside %s', async (_what, more, ids) => {
    expect(await find(q('milk', more))).toBe(ids);
  });

  it('stands in a body', async () => {
    const ask = async (body: unknown, method = 'POST', path = 'notes/query') => {
      const answer = await notes.send(method, path, { body });
      return answer.status === 200 ? answer.body.data.map(({ id }: { id: string }) => id).join(' ') : JSON.stringify(answer.body.errors);
    };
    expect(await ask({ q: 'fresh milk', size: 3 })).toBe('1');
    expect(await ask({ q: 'milk', sort: ['-size'], limit: 2 })).toBe('1 3');
    expect(await ask({ q: 5 })).toContain('"rule":"type"');
    expect(await ask({ q: ['milk'] })).toContain('"rule":"type"');
    expect(await ask({ q: null })).toContain('"rule":"type"');
    expect(await ask({ q: 'a\ud800' })).toContain('"rule":"unicode"');
    expect(await ask({ q: 'a\0' })).toContain('"rule":"nul_character"');
  });

  it('stands below a record', async () => {
    expect(await find(q('fresh'), 'ann', 'notebooks/n1/notes')).toBe('1 4');
    expect(await find(q('fresh', '&sort=-size'), 'ann', 'notebooks/n1/notes')).toBe('4 1');
    expect(await find(q('fresh'), 'ben', 'notebooks/n1/notes')).toBe('');
  });

  it('filters an aggregate', async () => {
    const ask = async (query: string) => (await notes.send('GET', `notes/aggregate?${query}`)).body;
    expect((await ask(`${q('milk')}&sum=size&count=true`)).data).toEqual([{ count: 3, sum: { size: 6 } }]);
    expect((await ask('q=')).errors[0]).toMatchObject({ field: 'q', rule: 'required' });
  });

  it('filters an export, which is in the order of its sort, or by id', async () => {
    const ask = async (query: string) => {
      const { text } = await notes.send('GET', `notes?${query}`, { headers: { accept: 'application/x-ndjson' } });
      return text
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line).id ?? '')
        .join(' ');
    };
    expect(await ask(q('fresh milk'))).toBe('1 2 3 4 ');
    expect(await ask(q('fresh milk', '&sort=-size'))).toBe('4 1 3 2 ');
  });

  it.each([
    ['notes?q=milk&after[]=x', ['after[]']],
    ['notes?q=milk&after=x', ['after']],
  ])('names of a page what was given: %s', async (path, fields) => {
    const { status, body } = await notes.send('GET', path);
    expect([status, body.errors.map(({ field }: { field: string }) => field)]).toEqual([400, fields]);
  });

  it('is no filter of a write to many records', async () => {
    for (const method of ['PATCH', 'DELETE']) {
      const { status, body } = await notes.send(method, `notes?${q('milk')}&size=1`, {
        body: method === 'PATCH' ? { size: 1 } : undefined,
      });
      expect([status, body.errors[0].field]).toEqual([400, 'q']);
      expect(commands.names).toEqual([]);
    }
  });

  it.each([
    ['nothing', 'q=', 'required'],
    ['spaces', 'q=%20+%09', 'required'],
    ['quotes', 'q=%22%22%20%22', 'required'],
    ['two texts', 'q=a&q=b', 'repeated_parameter'],
    ['too many words', `q=${Array.from({ length: 9 }, (_, index) => `w${index}`).join('+')}`, 'maxItems'],
    ['a thousand words', `q=${Array.from({ length: 1_000 }, (_, index) => index).join('+')}`, 'maxLength'],
    ['too many characters', `q=${'x'.repeat(201)}`, 'maxLength'],
    ['far too many', `q=${'%22x'.repeat(3_000)}`, 'maxLength'],
    ['a NUL', 'q=a%00b', 'nul_character'],
    ['half a character', 'q=%ed%a0%80', 'percent_encoding'],
    ['a bracket', 'q[]=a', 'unknown_operator'],
    ['an operator', 'q[$search]=a', 'unknown_operator'],
  ])('is 400 for %s', async (_what, query, rule) => {
    const { status, body } = await notes.send('GET', `notes?${query}`);
    expect([status, body.errors.map((one: { rule: string }) => one.rule)]).toEqual([400, [rule]]);
    expect(commands.names).toEqual([]);
  });

  it('counts characters, and not halves of them', async () => {
    expect(await find(`q=${encodeURIComponent('😀'.repeat(200))}`)).toBe('');
    expect(await find(`q=${encodeURIComponent('😀'.repeat(201))}`)).toBe('400 invalid_query q maxLength');
  });
});

it('is an argument of the tool of a list', async () => {
  const agent = await connect(notes.build());
  const { isError, text } = await agent.call('notes_list', { q: 'fresh milk', limit: 1 });
  expect([isError, JSON.parse(text).page]).toMatchObject([false, { has_next: true, next_cursor: null }]);
});

describe('the scope of a search', () => {
  it('shows each tenant its own records, and reads no others', async () => {
    expect(await find(q('milk'), 'ben')).toBe('7');
    const { filter } = commands.events[0]?.command ?? {};
    const explained = (await database.db
      .collection('notes')
      .find(filter as never)
      .explain('executionStats')) as unknown as {
      executionStats: { totalKeysExamined: number };
    };
    expect(explained.executionStats.totalKeysExamined).toBe(1);
  });

  it.each([
    ['one value', 'ann', '1 2 3'],
    ['a list of one value', 'one', '1 2 3'],
    ['one value beside another condition', 'narrow', '1 3'],
  ])('may compare the field with %s', async (_what, principal, ids) => {
    expect(await find(q('milk'), principal)).toBe(ids);
    expect(await find(q('milk', '&tenant=ann'), principal)).toBe(ids);
    expect(await find(q('milk', '&tenant[in]=ann,ben&sort=id'), principal)).toBe(ids);
  });

  it('cannot be left by filters', async () => {
    for (const more of ['&tenant=ben', '&tenant[in]=ben', `&filter=${encodeURIComponent('tenant = "ben"')}`])
      expect(await find(q('milk', more))).toBe('');
    expect(await find(q('milk', `&filter=${encodeURIComponent('tenant = "ben" OR size = 1')}`))).toBe('2');
  });

  it.each(['admin', 'both'])('is 500 where it breaks its promise, and never another answer: %s', async (principal) => {
    for (const more of ['', '&sort=size', '&total=true', '&tenant=ann']) {
      notes.errors.length = 0;
      expect(await find(q('milk', more), principal)).toBe('500 ');
      expect(notes.errors[0]?.message).toMatch(/does not compare `tenant` with one value, as `search.scopeFields` of Note promises/);
    }
    expect(await find('size=7', principal)).toBe('6');
  });
});

it('stores records whose field `language` has a value that MongoDB does not know', async () => {
  const { status } = await notes.send('POST', 'notes', {
    body: { id: 'l1', tenant: 'ann', title: 'nuqneH', language: 'klingon', tag: null, notebook: null },
  });
  expect(status).toBe(201);
  expect(await find(q('nuqneh'))).toBe('l1');
});

async function seedMore(more: readonly object[]): Promise<void> {
  await database.db.collection('notes').insertMany(more.map((note) => ({ revision: 0, ...note })) as never);
}

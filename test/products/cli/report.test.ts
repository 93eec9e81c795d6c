import type { Audit } from '../../../src/products/audit/audit-collection.ts';
import { formatAudits, openProgress } from '../../../src/products/cli/commands/audit.ts';

const audit: Audit = {
  model: 'Order',
  collection: 'orders',
  isComplete: true,
  records: 40,
  estimate: 80,
  misfitting: 0,
  idTypes: {},
  misfits: [],
  unknownKeys: [],
  omitted: 0,
};

describe('the report of an audit', () => {
  it('is a table for each model', () => {
    const misfits = [
      { path: 'total', rule: 'type', message: 'must be an integer', records: 12, ids: ['a', 'b'] },
      { path: '', rule: 'check', message: 'is odd', records: 3, ids: ['c'] },
    ];
    const unknownKeys = [{ path: '__v', records: 40, ids: ['a'] }];
    const found = { ...audit, misfitting: 14, misfits, unknownKeys, omitted: 2 };
    expect(
      formatAudits([found, { ...audit, model: 'Note', collection: 'notes', isComplete: false }]),
    ).toBe(`Order (orders): 40 records, 14 do not fit
  records  path      rule   message             ids
  12       total     type   must be an integer  a, b
  3        (record)  check  is odd              c
  Keys that are not fields, which the model ignores:
  records  path  ids
  40       __v   a
  Of further kinds, there are 2 more.

Note (notes): 40 of about 80 records, all fit
`);
  });

  it('does to a terminal nothing of what stored keys and ids hold', () => {
    const unknownKeys = [{ path: '\u001b[31mred\n', records: 1, ids: ['\u0007', '\u202e', 'é😀'] }];
    const text = formatAudits([{ ...audit, unknownKeys }]);
    expect(text).toContain('1        \\u{1b}[31mred\\u{a}  \\u{7}, \\u{202e}, é😀\n');
  });
});

describe('the progress bar', () => {
  function open(isTTY: boolean, columns = 120) {
    const written: string[] = [];
    const output = { isTTY, columns, write: (text: string) => written.push(text) > 0 };
    return { written, progress: openProgress(output as never) };
  }

  it('is drawn on a terminal, and removed at the end', () => {
    const { written, progress } = open(true);
    progress.show({ ...audit, misfitting: 3 });
    progress.clear();
    expect(written).toEqual([
      '\r' + 'Order [############............] 50 %, 40 of about 80 records, 3 do not fit' + '\u001b[K',
      '\r\u001b[K',
    ]);
  });

  it('is as long as the terminal is wide, and full if there are more records than were expected', () => {
    const { written, progress } = open(true, 30);
    progress.show({ ...audit, records: 200 });
    expect(written).toEqual(['\rOrder [######################\u001b[K']);
  });

  it('shows nothing on anything else, and nothing to remove', () => {
    const { written, progress } = open(false);
    progress.show(audit);
    progress.clear();
    open(true).progress.clear();
    expect(written).toEqual([]);
  });
});

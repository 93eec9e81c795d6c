import { cursorPaging, defineModel, offsetPaging, service, t } from '../../src/index.ts';

const Note = defineModel('Note', { collection: 'notes', fields: { text: t.string() } });
const { resource } = service();

resource({ model: Note, paging: cursorPaging({ max: 50, size: 10, total: 'estimate' }), fields: true });
resource({ model: Note, paging: offsetPaging({ max: 50, size: 10, total: true, maxOffset: 100 }), fields: false });

// @ts-expect-error: a cursor skips nothing
cursorPaging({ maxOffset: 100 });
// @ts-expect-error: `maxOffsets` is not an option
offsetPaging({ maxOffsets: 100 });
// @ts-expect-error: a total is counted or estimated
offsetPaging({ total: 'exact' });
// @ts-expect-error: the client chooses the fields
resource({ model: Note, fields: ['text'] });
// @ts-expect-error: a paging is made by one of the two functions
resource({ model: Note, paging: { max: 50, size: 10, total: false } });

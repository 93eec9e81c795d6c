import { compileModel } from '../../src/model/compile/compile-model.ts';
import { defineModel } from '../../src/model/define/define-model.ts';
import { t } from '../../src/model/define/t.ts';
import type { SortKey } from '../../src/mongo/query/position.ts';

const policy = { sort: true, filter: true } as const;
export const { clientFields } = compileModel(
  defineModel('Doc', {
    collection: 'docs',
    fields: {
      id: t.objectId({ policy }),
      n: t.nullable(t.float(), { policy }),
      i: t.int64({ policy }),
      s: t.string({ policy }),
      b: t.boolean({ policy }),
      d: t.date({ policy }),
      u: t.uuid({ policy }),
    },
  }),
);
/** A key of a sort by one of the fields above. */
export const key = (name: string, direction: 1 | -1 = 1): SortKey => ({ field: clientFields.get(name) as SortKey['field'], direction });

import type { ObjectId } from 'mongodb';
import { defineModel } from '../../src/model/define/define-model.ts';
import type { ChangesDraft, Create, Document, NewDocument, Patch, Read } from '../../src/model/define/infer.ts';
import { t } from '../../src/model/define/t.ts';
import { assert, type Equal } from './equal.ts';

const Project = defineModel('Project', {
  collection: 'projects',
  fields: {
    name: t.string(),
    tasks: t.hasMany('Task', { via: 'projectId', sort: '-createdAt' }),
    taskCount: t.hasMany('Task', { via: 'projectId', count: true }),
  },
});

assert<Equal<Document<typeof Project>, { id: ObjectId; name: string }>>();
assert<Equal<Create<typeof Project>, { readonly name: string }>>();
assert<Equal<Patch<typeof Project>, { readonly name?: string }>>();
assert<Equal<ChangesDraft<typeof Project>, { name?: string }>>();
assert<Equal<NewDocument<typeof Project>, { readonly id?: ObjectId; readonly name: string }>>();
assert<
  Equal<
    Read<typeof Project>,
    {
      id: string;
      readonly name: string;
      readonly tasks?: readonly Readonly<Record<string, unknown>>[];
      readonly taskCount?: number;
      readonly tasks_has_next?: true;
      readonly taskCount_has_next?: true;
      readonly tasks_list?: string;
    }
  >
>();

// @ts-expect-error: a misspelt option
t.hasMany('Task', { via: 'projectId', limit: 5 });
// @ts-expect-error: `via` is required
t.hasMany('Task', { max: 5 });

import type { Covered, Method, Table } from './collection.ts';
import { readReplacement } from './cover-updates.ts';
import { beginUpdate, isPipeline, stepReplacement, stepUpdate, type Update, writesToStored } from './steps.ts';

/**
 * Covers `bulkWrite`, which stays one command. The record that an upsert of it makes begins at revision 1: whether one
 * matches is known only when the command is over, and members may depend on those before them.
 */
export function coverBulkWrite(covered: Covered): Method {
  return (members, options) => {
    const steps = (members as readonly Table[]).map((member) => coverMember(member, covered));
    return covered.call(covered.name, [steps, options], steps);
  };
}

function coverMember(member: Table, covered: Covered): Table {
  const [kind = ''] = Object.keys(member);
  const body = member[kind] as Table;
  switch (kind) {
    case 'updateOne':
    case 'updateMany':
      return { [kind]: { ...body, update: coverMemberUpdate(kind, body, covered) } };
    case 'replaceOne': {
      const { replacement, ...others } = body;
      return { updateOne: { ...others, update: stepReplacement(readReplacement(replacement, { ...covered, name: kind }), covered.keys) } };
    }
    case 'insertOne':
    case 'deleteOne':
    case 'deleteMany':
      return member;
    default:
      throw new Error(`\`bulkWrite\` of \`${covered.collection.name}\` cannot step the revision of what \`${kind}\` changes.`);
  }
}

function coverMemberUpdate(kind: string, { update: given, upsert }: Table, { keys, collection }: Covered): Update {
  const update = given as Update;
  if (!writesToStored(update)) return beginUpdate(update, keys, new Date());
  if (upsert && isPipeline(update) && keys.createdAt !== undefined)
    throw new Error(
      `\`bulkWrite\` of \`${collection.name}\` cannot set \`${keys.createdAt}\` where a pipeline makes a record: send this upsert by \`${kind}\`.`,
    );
  return stepUpdate(update, keys);
}

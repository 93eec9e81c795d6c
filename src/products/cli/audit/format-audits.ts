import type { Audit } from '../../audit/audit-collection.ts';
import { formatTable } from '../format-table.ts';
import { printable } from '../printable.ts';

/** Formats audits for reading. */
export function formatAudits(audits: readonly Audit[]): string {
  return `${audits.map(formatAudit).join('\n\n')}\n`;
}

function formatAudit(audit: Audit): string {
  const { model, collection, records, estimate, isComplete, misfitting, misfits, unknownKeys, omitted } = audit;
  const compared = isComplete ? `${records} records` : `${records} of about ${estimate} records`;
  const fitting = misfitting === 0 ? 'all fit' : `${misfitting} ${misfitting === 1 ? 'does' : 'do'} not fit`;
  const rows = misfits.map(({ path, rule, message, records, ids }) => [`${records}`, path || '(record)', rule, message, ids.join(', ')]);
  const keys = unknownKeys.map(({ path, records, ids }) => [`${records}`, path, ids.join(', ')]);
  return [
    printable(`${model} (${collection}): ${compared}, ${fitting}`),
    ...(rows.length > 0 ? [formatTable([['records', 'path', 'rule', 'message', 'ids'], ...rows], '  ')] : []),
    ...(keys.length > 0
      ? ['  Keys that are not fields, which the model ignores:', formatTable([['records', 'path', 'ids'], ...keys], '  ')]
      : []),
    ...(omitted > 0 ? [`  Of further kinds, there are ${omitted} more.`] : []),
  ].join('\n');
}

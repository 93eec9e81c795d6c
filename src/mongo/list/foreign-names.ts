/**
 * What other APIs call the parameters of a list, in lower case and without separators. A name that may mean two of them
 * is in both: a list has one of the two.
 */
const foreignNames: Readonly<Record<string, readonly string[]>> = {
  limit: ['perpage', 'pagesize', 'take', 'top', 'maxresults'],
  page: ['offset', 'skip', 'pagenumber'],
  after: ['offset', 'skip', 'cursor', 'nextcursor', 'pagetoken', 'startingafter'],
  before: ['endingbefore'],
  sort: ['orderby', 'sortby', 'order', 'ordering'],
  fields: ['select', 'projection', 'attributes'],
  include: ['populate', 'expand', 'embed'],
};

/** The parameter that other APIs call by this name, if the list has it. */
export function ourNameOf(name: string, parameters: readonly string[]): string | undefined {
  const plain = name.toLowerCase().replaceAll(/[^a-z]/g, '');
  return parameters.find((ours) => foreignNames[ours]?.includes(plain));
}

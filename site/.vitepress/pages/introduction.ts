/** What a page says of itself in one sentence: the description before its title, or else its first sentence. */
export function descriptionOf(page: string): string {
  const [, quote = '', text] = /^---\n(?:.*\n)*?description: (["']?)(.*)\1\n/.exec(page) ?? [];
  return text === undefined ? introductionOf(page) : text.replaceAll(quote === "'" ? "''" : '\\"', quote || '\\"');
}

/** The first sentence, without links and without "This page shows". */
export function introductionOf(page: string): string {
  const [, paragraph = ''] = /^# .+\n\n([^\n#|`<][\s\S]*?)\n\n/m.exec(page) ?? [];
  const text = paragraph
    .replaceAll('\n', ' ')
    .replaceAll(/\[([^\]]+)\]\([^)]*\)/g, '$1')
    .replaceAll('`', '');
  const sentence = /^.*?[.:](?= |$)/.exec(text)?.[0].replace(/:$/, '.') ?? text;
  const [, rest = sentence] = /^This page (?:shows|says|describes|lists|is about) (?:that )?(.+)$/.exec(sentence) ?? [];
  return rest.charAt(0).toUpperCase() + rest.slice(1);
}

import type { MarkdownRenderer } from 'vitepress';

/** Gives each cell the heading of its column: on a phone, where a row is a block, it stands before the cell. */
export function labelCells(md: MarkdownRenderer): void {
  md.core.ruler.push('label_cells', ({ tokens }) => {
    let labels: string[] = [];
    let column = 0;
    for (const [index, { type }] of tokens.entries()) {
      if (type === 'thead_open') labels = [];
      else if (type === 'tr_open') column = 0;
      else if (type === 'th_open') labels.push(tokens[index + 1]?.children?.map(({ content }) => content).join('') ?? '');
      else if (type === 'td_open') {
        const label = labels[column++];
        if (label) tokens[index]?.attrSet('data-label', label);
      }
    }
  });
}

/** Puts each table into a box, in which it scrolls sideways if it is wider than the text: keys scroll it, too. */
export function boxTables(md: MarkdownRenderer): void {
  md.renderer.rules.table_open = () => '<div class="table-box" tabindex="0">\n<table>\n';
  md.renderer.rules.table_close = () => '</table>\n</div>\n';
}

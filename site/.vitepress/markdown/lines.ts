import type { MarkdownOptions } from 'vitepress';

/** A line of code that is too long for its block is folded: what follows is indented more than the line itself. */
export const foldLines: NonNullable<MarkdownOptions['codeTransformers']>[number] = {
  name: 'fold-lines',
  line(node, line) {
    const indent = /^ */.exec(this.source.split('\n')[line - 1] ?? '')?.[0].length ?? 0;
    node.properties.style = `--indent: ${indent + 2}ch`;
  },
};

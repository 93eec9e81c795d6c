import type { MarkdownRenderer } from 'vitepress';

/** Shows the name of a file above its block: ```ts [model.ts]. */
export function showFileNames(md: MarkdownRenderer): void {
  const { fence } = md.renderer.rules;
  md.renderer.rules.fence = (tokens, index, ...rest) => {
    const [, name] = /\[([^\]]+)\]/.exec(tokens[index]?.info ?? '') ?? [];
    const block = fence?.(tokens, index, ...rest) ?? '';
    return name === undefined ? block : `<div class="file-name">${md.utils.escapeHtml(name)}</div>\n${block}`;
  };
}

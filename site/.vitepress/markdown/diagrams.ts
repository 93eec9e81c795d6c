import type { MarkdownRenderer } from 'vitepress';

/** Makes the component `Diagram` of every ```mermaid block. */
export function drawDiagrams(md: MarkdownRenderer): void {
  const { fence } = md.renderer.rules;
  md.renderer.rules.fence = (tokens, index, ...rest) => {
    const token = tokens[index];
    if (token?.info.trim() !== 'mermaid') return fence?.(tokens, index, ...rest) ?? '';
    return `<Diagram text="${encodeURIComponent(token.content)}" />\n`;
  };
}

interface Environment {
  readonly frontmatter?: { readonly description?: string };
}

interface Renderer {
  render(text: string, env: Environment): string;
}

/**
 * A page as the search reads it: with its description, which is not shown, and says what others call the things of the
 * page, such as pagination. It stands there twice, to outweigh a page that has the word in passing.
 */
export function renderForSearch(text: string, env: Environment, md: Renderer): string {
  const html = md.render(text, env); // which reads the front matter
  return html.replace('</h1>', () => `</h1>${`<p>${env.frontmatter?.description ?? ''}</p>\n`.repeat(2)}`);
}

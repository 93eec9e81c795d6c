import type { SecurityScheme } from './document.ts';

/** The path of the docs page below the api's prefix: a resource cannot have it while the page is served. */
export const docsPath = 'docs';

/**
 * The files of `swagger-ui-dist` that the page needs, and no other is served. The last two are for the way back from the login of an OAuth
 * server: the page opens it in a window of its own.
 */
export const docsFiles = [
  'swagger-ui.css',
  'swagger-ui-bundle.js',
  'favicon-32x32.png',
  'oauth2-redirect.html',
  'oauth2-redirect.js',
] as const;

/** The script that starts Swagger UI: a file of its own, because the page's policy lets no script stand in it. */
export const startFile = 'start.js';

/** Where the policy lets the page's requests go to. */
type Schemes = Readonly<Record<string, SecurityScheme>>;

/** The docs page. All its addresses are relative, so that it works under any mount and behind any proxy. */
export function docsPage(title: string): string {
  return `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>${escapeHtml(title)}</title>
    <link rel="icon" type="image/png" href="${docsPath}/favicon-32x32.png">
    <link rel="stylesheet" href="${docsPath}/swagger-ui.css">
  </head>
  <body>
    <div id="swagger-ui"></div>
    <script src="${docsPath}/swagger-ui-bundle.js"></script>
    <script src="${docsPath}/${startFile}"></script>
  </body>
</html>
`;
}

/** Starts Swagger UI; `documentPath` is relative to the page. Its own default asks a validator on another host about the description. */
export function docsStart(documentPath: string): string {
  return `SwaggerUIBundle({
  dom_id: '#swagger-ui',
  url: '${documentPath}',
  validatorUrl: null,
  deepLinking: true,
  displayRequestDuration: true,
  oauth2RedirectUrl: new URL('${docsPath}/oauth2-redirect.html', location.href).href,
});
`;
}

/**
 * The page's Content-Security-Policy: nothing but its own files, no script or style in the page, no frame around it. Requests go to the
 * api and, with OAuth, to the servers that give tokens.
 */
export function docsPolicy(schemes: Schemes): string {
  const directives = {
    'default-src': "'none'",
    'script-src': "'self'",
    'style-src': "'self'",
    'img-src': "'self' data:", // the arrows of Swagger UI's style sheet are data
    'connect-src': ["'self'", ...tokenOrigins(schemes)].join(' '),
    'base-uri': "'none'",
    'form-action': "'none'",
    'frame-ancestors': "'none'",
  };
  return Object.entries(directives)
    .map(([name, value]) => `${name} ${value}`)
    .join('; ');
}

function tokenOrigins(schemes: Schemes): string[] {
  const urls = Object.values(schemes).flatMap((scheme) =>
    scheme.type === 'oauth2' ? Object.values(scheme.flows).flatMap(({ tokenUrl, refreshUrl }) => [tokenUrl, refreshUrl]) : [],
  );
  return [...new Set(urls.flatMap((url) => (url !== undefined && URL.canParse(url) ? [new URL(url).origin] : [])))];
}

function escapeHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

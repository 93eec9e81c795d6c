import type { SecurityScheme } from './document.ts';
import { followEvents } from './follow-events.ts';

/** The path of the docs page below the api's prefix. A resource cannot have it while the page is served. */
export const docsPath = 'docs';

/**
 * The files of `swagger-ui-dist` that the page needs; no others are served. The last two are for the way back from the
 * login at an OAuth server, which the page opens in a window of its own.
 */
export const docsFiles = [
  'swagger-ui.css',
  'swagger-ui-bundle.js',
  'favicon-32x32.png',
  'oauth2-redirect.html',
  'oauth2-redirect.js',
] as const;

/** The script that starts Swagger UI. It is a file of its own, because the page's policy forbids inline scripts. */
export const startFile = 'start.js';

/** Where the policy lets the page's requests go to. */
type Schemes = Readonly<Record<string, SecurityScheme>>;

/** The HTML of the docs page. All addresses are relative, so that it works below any mount and behind any proxy. */
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

/**
 * The script that starts Swagger UI. `documentPath` is relative to the page. By default, Swagger UI would send the
 * description to a validator on another host. Only an api with streams of events has the script that follows them.
 */
export function docsStart(documentPath: string, hasStreams: boolean): string {
  return `SwaggerUIBundle({
  dom_id: '#swagger-ui',
  url: '${documentPath}',
  validatorUrl: null,
  deepLinking: true,
  displayRequestDuration: true,
  oauth2RedirectUrl: new URL('${docsPath}/oauth2-redirect.html', location.href).href,${hasStreams ? `\n  plugins: [(${followEvents})(window)],` : ''}
});
`;
}

/**
 * The Content-Security-Policy of the page: only its own files, no inline scripts or styles, and no frame around it.
 * Requests may go to the api and, with OAuth, to the servers that issue tokens.
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

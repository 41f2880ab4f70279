import type { FastifyReply } from 'fastify';

/** Content security policies: nothing from other origins, and no inline scripts or styles. */
const contentPolicy = {
  text: "default-src 'none'; style-src 'self'; img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  // The stylesheet of Swagger UI contains its images as data URLs.
  application:
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
} as const;

export interface Page {
  readonly title: string;
  /** The relative reference from the page to the root of the service: empty, or with a trailing slash. */
  readonly root: '' | '../';
  /** HTML to add to the head. */
  readonly head?: string;
  readonly body: string;
}

/**
 * Sends an HTML page. Its links are relative, so that it works under any path prefix of a proxy. `kind` selects the
 * content security policy: `text` for a page without scripts, `application` for the page with Swagger UI.
 */
export function sendPage(reply: FastifyReply, kind: keyof typeof contentPolicy, page: Page): FastifyReply {
  return reply
    .header('content-security-policy', contentPolicy[kind])
    .type('text/html; charset=utf-8')
    .send(renderPage(page));
}

function renderPage({ title, root, head = '', body }: Page): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)}</title>
<link rel="icon" type="image/svg+xml" href="${root}docs/icon.svg">
${head}<link rel="stylesheet" href="${root}docs/pages.css">
</head>
<body>
${body}
</body>
</html>
`;
}

const entityByCharacter: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Escapes a text for HTML, also for the value of a quoted attribute. */
export function escapeHtml(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => entityByCharacter[character] ?? '');
}

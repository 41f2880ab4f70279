import type { FastifyReply } from 'fastify';

/** What a page may load: nothing of another origin, and no code or style that stands in the page itself. */
const contentPolicy = {
  text: "default-src 'none'; style-src 'self'; img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  // The pictures of the interface's stylesheet stand in it as data.
  application:
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
} as const;

export interface Page {
  readonly title: string;
  /** From the page to the service's root, as a relative reference that ends in a slash, or nothing. */
  readonly root: '' | '../';
  /** Further elements of the head. */
  readonly head?: string;
  readonly body: string;
}

/** Answers with a page for people. Its links are relative, so that the service may be reached under any path. */
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

export function escapeHtml(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => entityByCharacter[character] ?? '');
}

/** Reads when it is first asked for, and keeps what was read. A failure is told to whoever waits, and forgotten. */
export function makeReadOnce<Content>(read: () => Promise<Content>): () => Promise<Content> {
  let content: Promise<Content> | null = null;
  return () => {
    content ??= read().catch((error: unknown) => {
      content = null;
      throw error;
    });
    return content;
  };
}

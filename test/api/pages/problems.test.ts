import { problemKinds } from '@widget-service/api/http/problem-kinds.ts';
import { describe, expect, test } from 'vitest';
import { expectProblem } from '../../drivers/app/expect-problem.ts';
import { openSharedApp } from '../../drivers/app/open-shared.ts';

const service = await openSharedApp();

const get = (url: string) => service.get(url);
const codes = Object.keys(problemKinds) as readonly (keyof typeof problemKinds)[];

/** The visible text of a page. */
function extractText(html: string): string {
  const entities: Record<string, string> = { '&amp;': '&', '&lt;': '<', '&gt;': '>', '&quot;': '"', '&#39;': "'" };
  return html.replaceAll(/<[^>]*>/g, ' ').replaceAll(/&\S+?;/g, (entity) => entities[entity] ?? entity);
}

describe('GET /problems and /problems/{code}', () => {
  test.each(codes)('/problems/%s shows the title, code, status, detail and remedy', async (code) => {
    const { statusCode, headers, body } = await get(`/problems/${code}`);
    expect(statusCode).toBe(200);
    expect(headers['content-type']).toBe('text/html; charset=utf-8');
    expect(headers['content-security-policy']).toMatch(/^default-src 'none'; style-src 'self'/);
    expect(headers['cache-control']).toBe('no-store');
    const { title, status, detail, remedy } = problemKinds[code];
    const text = extractText(body);
    for (const part of [title, code, String(status), detail, remedy]) expect(text).toContain(part);
  });

  test('the type of a problem is the URL of its page', async () => {
    const problem = await get('/api/v1/widgets');
    const { type, title } = problem.json() as { type: string; title: string };
    const page = await get(type);
    expect(page.statusCode).toBe(200);
    expect(page.body).toContain(`<h1>${title}</h1>`);
  });

  test('/problems links to the page of every problem', async () => {
    const { statusCode, body } = await get('/problems');
    expect(statusCode).toBe(200);
    const links = [...body.matchAll(/href="(problems\/[^"]+)"/g)].map(([, link]) => link);
    expect(links).toEqual(codes.map((code) => `problems/${code}`));
  });

  test.each(['/problems/nothing', '/problems/constructor', '/problems/%3Cscript%3E', '/problems/'])(
    '%s returns 404',
    async (url) => {
      const response = await get(url);
      expectProblem(response, { status: 404, code: 'not-found' });
      expect(response.body).not.toContain('script');
    },
  );

  test('HEAD returns the status and the content length of GET, without the body', async () => {
    const [page, head] = [
      await get('/problems/not-found'),
      await service.inject({ method: 'HEAD', url: '/problems/not-found' }),
    ];
    expect(head).toMatchObject({ statusCode: 200, body: '' });
    expect(head.headers['content-length']).toBe(page.headers['content-length']);
  });
});

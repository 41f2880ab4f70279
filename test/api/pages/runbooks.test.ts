import { expect, test } from 'vitest';
import { expectProblem } from '../../drivers/app/expect-problem.ts';
import { openSharedApp } from '../../drivers/app/open-shared.ts';

const service = await openSharedApp();

const get = (url: string) => service.get(url);

/** Returns the paths that the page at `url` leads to, also below a path prefix of a proxy. */
function findPaths(url: string, body: string): string[] {
  const references = [...body.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, reference = '']) => reference);
  return references.map((reference) => {
    const { host, pathname } = new URL(reference, `http://example.com/base${url}`);
    expect(host, reference).toBe('example.com');
    expect(pathname, reference).toMatch(/^\/base\//);
    return pathname.slice('/base'.length);
  });
}

test('every runbook is a page, and leads to pages that exist', async () => {
  const list = await get('/docs/runbooks');
  expect(list).toMatchObject({ statusCode: 200 });
  expect(list.headers['content-type']).toBe('text/html; charset=utf-8');
  const runbooks = findPaths('/docs/runbooks', list.body).filter((path) => path.startsWith('/docs/runbooks/'));
  expect(runbooks.length).toBeGreaterThan(15);
  for (const url of new Set(runbooks)) {
    const { statusCode, headers, body } = await get(url);
    expect(statusCode, url).toBe(200);
    expect(String(headers['content-security-policy'])).toContain("default-src 'none'");
    expect(body).toContain('<h1 ');
    expect(body, url).not.toMatch(/\.md\b/);
    for (const [, path = '', id] of body.matchAll(/href="([^"#]*)#([^"]+)"/g)) {
      const target = path === '' ? url : new URL(path, `http://example.com${url}`).pathname;
      expect((await get(target)).body, `${url} leads to ${target}#${id}`).toContain(`id="${id}"`);
    }
    for (const path of findPaths(url, body)) expect((await get(path)).statusCode, `${url} leads to ${path}`).toBe(200);
  }
});

test.each(['/docs/runbooks/nothing', '/docs/runbooks/README', '/docs/runbooks/..%2finterface', '/docs/runbooks/a.md'])(
  '%s is 404',
  async (url) => {
    expectProblem(await get(url), { status: 404, code: 'not-found' });
  },
);

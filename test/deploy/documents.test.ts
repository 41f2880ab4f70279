import { existsSync, globSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { problemKinds } from '@widget-service/api/http/problem-kinds.ts';
import { collectionNames } from '@widget-service/cluster/mongo/indexes.ts';
import { queueName, redisKeys } from '@widget-service/cluster/redis/keys.ts';
import { serializeControlEntry } from '@widget-service/shared/adapters/control-entry-codec.ts';
import { serializeHookJob } from '@widget-service/shared/adapters/hook-job-codec.ts';
import { entities } from '@widget-service/shared/entities/entities.ts';
import { expect, test } from 'vitest';

const root = new URL('../../', import.meta.url);
const text = readFileSync(new URL('docs/formats.md', root), 'utf8');
const schema = new URL('packages/embedded/src/schema/', root);
const listMissing = (names: readonly string[]) => names.filter((name) => !text.includes(`\`${name}`));
const findLine = (start: string) => text.split('\n').find((line) => line.startsWith(start)) ?? '';

test('docs/formats.md names every collection of MongoDB', () => {
  const names = [...Object.values(collectionNames), ...Object.values(entities).map(({ name }) => name)];
  expect(listMissing(names.map((name) => `${name}\``))).toEqual([]);
});

test('docs/formats.md names every key of Redis', () => {
  const keys = redisKeys('widgets');
  const fixed = Object.values(keys).filter((key) => typeof key === 'string' && key !== keys.queuePrefix) as string[];
  const events = [keys.watermark('<widget id>'), keys.appendedEvent('<event id>')];
  const byProcess = [keys.process('<process id>'), keys.waitingReport('<reporter id>')];
  const made = [...events, keys.limit('<limit>'), keys.hookCounts('<hour>'), ...byProcess];
  const queue = `${keys.queuePrefix}:${queueName(4, 1).replace('-4-1', '-<count>-<partition>')}`;
  expect(listMissing([...[...fixed, ...made].map((key) => `${key}\``), queue])).toEqual([]);
  expect(Object.keys(keys)).toHaveLength(fixed.length + made.length + 1);
});

test('docs/formats.md names every table of SQLite, and the version of the schema', () => {
  const files = readdirSync(schema).filter((name) => name.endsWith('.sql'));
  const sql = files.map((name) => readFileSync(new URL(name, schema), 'utf8')).join('\n');
  const tables = [...sql.matchAll(/CREATE TABLE (\w+)/g)].map(([, name]) => `${name}\``);
  expect(tables.length).toBeGreaterThan(10);
  expect(listMissing(tables)).toEqual([]);
  expect(text).toContain(`is the schema version: ${files.length},`);
});

test('docs/formats.md states the versions that this version writes', () => {
  const job = JSON.parse(serializeHookJob([])) as { version: number };
  const entry = JSON.parse(serializeControlEntry({ kind: 'user', id: 'u', change: 'changed' })) as { version: number };
  expect(findLine('| job of the hook queue')).toContain(`\`version\`: ${job.version},`);
  expect(findLine('| entry of the control log')).toContain(`\`version\`: ${entry.version},`);
});

test('docs/interface.md lists every problem code with its status', () => {
  const page = readFileSync(new URL('docs/interface.md', root), 'utf8');
  const rows = [...page.matchAll(/^\| `([a-z-]+)` \| (\d{3}) \|/gm)].map(([, code, status]) => [code, Number(status)]);
  const kinds = Object.entries(problemKinds);
  expect(Object.fromEntries(rows)).toEqual(Object.fromEntries(kinds.map(([code, { status }]) => [code, status])));
});

const security = readFileSync(new URL('docs/security.md', root), 'utf8');
const threats = (security.split('# Threat model\n')[1]?.split(/\n##+ /)[0] ?? '')
  .split('\n')
  .filter((line) => /^\| [^-]/.test(line) && !line.startsWith('| Asset'))
  .map((line) =>
    line
      .slice(1, -1)
      .split('|')
      .map((cell) => cell.trim()),
  );

test('the threat model has four cells in each row, and covers each kind of threat', () => {
  expect(threats.length).toBeGreaterThan(20);
  for (const row of threats) expect(row, row.join(' | ')).toHaveLength(4);
  const kinds = new Set(threats.map(([, threat = '']) => threat.slice(0, 2)));
  expect([...kinds].sort()).toEqual(['D:', 'E:', 'I:', 'R:', 'S:', 'T:']);
});

test('the threat model names a test that exists in each row', () => {
  for (const [asset, threat, , tests = ''] of threats) {
    const files = [...tests.matchAll(/`([^`]+)`/g)].map(([, file = '']) => file);
    expect(files.length, `${asset}: ${threat}`).toBeGreaterThan(0);
    expect(files.filter((file) => !file.endsWith('.test.ts') || !existsSync(new URL(file, root)))).toEqual([]);
  }
});

test('each source file that a document names exists', () => {
  const exclude = ['**/node_modules/**', '**/dist/**'];
  const files = globSync('{apps,packages,scripts,deploy,test}/**/*.{ts,tsx,sql,lua,sh}', { cwd: root, exclude });
  const named = globSync('{*.md,docs/**/*.md}', { cwd: root }).flatMap((page) =>
    [...readFileSync(new URL(page, root), 'utf8').matchAll(/`([\w./-]+\.(?:tsx?|sql|lua|sh))`/g)].map(
      ([, file = '']) => file,
    ),
  );
  expect(named.filter((file) => /^(test|apps|packages)\/.*\.test\.tsx?$/.test(file)).length).toBeGreaterThan(100);
  expect(named.filter((file) => !files.some((each) => `/${each}`.endsWith(`/${file}`)))).toEqual([]);
});

/** The anchors of a page: those that it names, and those that GitHub gives to its headings. */
function listAnchors(page: string): string[] {
  const named = [...page.matchAll(/<a id="([^"]+)">/g)].map(([, id = '']) => id);
  const headings = [...page.replaceAll(/^```[\s\S]*?^```/gm, '').matchAll(/^#+ (.*)$/gm)];
  const made = headings.map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
      .replaceAll(/[^\p{L}\p{N}_ -]/gu, '')
      .replaceAll(' ', '-'),
  );
  return [...named, ...made];
}

test('each link of a document leads to a file, and to a heading of it', () => {
  const dead = globSync('{*.md,{docs,deploy,apps,packages,test}/**/*.md}', {
    cwd: root,
    exclude: ['**/node_modules/**', '**/dist/**'],
  }).flatMap((file) => {
    const page = readFileSync(new URL(file, root), 'utf8');
    const links = [...page.matchAll(/\]\((?![a-z]+:)([^)#\s]*)(?:#([^)\s]+))?\)/g)];
    return links.flatMap(([link, path = '', anchor]) => {
      const target = path === '' ? new URL(file, root) : new URL(path, new URL(file, root));
      if (!existsSync(target)) return `${file}: ${link}`;
      if (anchor === undefined || !target.pathname.endsWith('.md')) return [];
      return listAnchors(readFileSync(target, 'utf8')).includes(anchor) ? [] : `${file}: ${link}`;
    });
  });
  expect(dead).toEqual([]);
});

test('each document that a configuration file names exists, by its path', () => {
  const files = globSync('{deploy,.github}/**/*', { cwd: root, withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.name.endsWith('.md'))
    .map((entry) => join(entry.parentPath, entry.name));
  expect(files.length).toBeGreaterThan(20);
  const dead = files.flatMap((file) => {
    const text = readFileSync(file, 'utf8');
    const named = [...text.matchAll(/[\w./-]*\b\w[\w-]*\.md\b|\bREADME here\b/g)].map(([name]) => name);
    return named.filter((name) => !existsSync(new URL(name, root))).map((name) => `${file}: ${name}`);
  });
  expect(dead).toEqual([]);
});

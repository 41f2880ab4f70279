import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

const root = new URL('../../', import.meta.url);
const preload = './scripts/require-node.js';

test('every script that runs TypeScript loads what names a missing Node', () => {
  const { scripts } = JSON.parse(readFileSync(new URL('package.json', root), 'utf8')) as { scripts: object };
  const lines = Object.values(scripts).filter((line: string) => /\bnode .*\.ts\b/.test(line));
  expect(lines.length).toBeGreaterThan(6);
  for (const line of lines) expect(line).toContain(`node --import ${preload} `);
});

test('says in one sentence that Node is too old, and what to do', async () => {
  const asOlder = `Object.defineProperty(process, 'versions', { value: { node: '20.1.0' } }); import('${preload}');`;
  const started = promisify(execFile)(process.execPath, ['--input-type=module', '--eval', asOlder], { cwd: root });
  await expect(started).rejects.toMatchObject({
    code: 78,
    stdout: '',
    stderr: expect.stringMatching(/^This is Node 20\.1\.0, .*run npm ci without --omit=dev.*\n$/),
  });
});

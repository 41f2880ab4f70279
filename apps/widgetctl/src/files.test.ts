import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  linkSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type Line, readLines, replaceFile } from './files.ts';

async function collect(lines: AsyncIterable<Line>): Promise<Line[]> {
  const collected: Line[] = [];
  for await (const line of lines) collected.push(line);
  return collected;
}

/** In chunks of every size, so that each character and each end of a line is cut somewhere. */
async function decodeInChunks(bytes: Buffer): Promise<string[]> {
  const results = new Set<string>();
  for (const size of [1, 2, 3, 5, bytes.length]) {
    async function* chunks() {
      for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
    }
    const lines = await collect(readLines({ name: 'FILE', chunks: chunks() }));
    results.add(JSON.stringify(lines.map(({ number, text }) => `${number} ${text}`)));
  }
  expect(results.size).toBe(1);
  return JSON.parse([...results][0] ?? '[]') as string[];
}

const utf16be = (text: string) => Buffer.from(text, 'utf16le').swap16();

describe('a text is decoded', () => {
  test.each([
    ['UTF-8', Buffer.from('ä😀\nb\n')],
    ['UTF-8 with a byte order mark', Buffer.from('\ufeffä😀\nb')],
    ['UTF-16 LE', Buffer.from('\ufeffä😀\r\nb\r\n', 'utf16le')],
    ['UTF-16 BE', utf16be('\ufeffä😀\nb\n')],
    ['CRLF', Buffer.from('ä😀\r\nb\r\n')],
    ['CR', Buffer.from('ä😀\rb\r')],
    ['a NUL at the end', Buffer.from('ä😀\nb\n\0')],
    ['many NULs at the end of a line', Buffer.from('ä😀\nb\0\0\0')],
    ['files put together', Buffer.from('\ufeffä😀\n\ufeffb\n')],
  ])('from %s', async (_name, bytes) => {
    expect(await decodeInChunks(bytes)).toEqual(['1 ä😀', '2 b']);
  });

  test('from nothing, and with its empty lines', async () => {
    expect(await decodeInChunks(Buffer.from(''))).toEqual([]);
    expect(await decodeInChunks(Buffer.from('a'))).toEqual(['1 a']);
    expect(await decodeInChunks(Buffer.from('\n\r\n\na'))).toEqual(['1 ', '2 ', '3 ', '4 a']);
  });
});

describe('the line is named where a text is', () => {
  test.each([
    ['UTF-16 without a byte order mark', Buffer.from('ab\ncd', 'utf16le'), 'FILE, line 1: it holds a NUL character'],
    ['binary', Buffer.from('ab\nc\0d\n'), 'FILE, line 2: it holds a NUL character'],
    ['something after a NUL', Buffer.from('ab\0\ncd\n'), 'FILE, line 2: it holds a NUL character'],
    ['Latin-1', Buffer.from('ab\ncd\nä\n', 'latin1'), 'FILE, line 3: it is not UTF-8. Save the file as UTF-8.'],
    ['cut', Buffer.from('ab\nä').subarray(0, 4), 'FILE, line 2: it is not UTF-8'],
    ['UTF-32', Buffer.from('fffe000061000000', 'hex'), 'FILE, line 1: it holds a NUL character'],
    ['too long', Buffer.alloc(17 * 1024 * 1024, 'a'), 'FILE, line 1: it is longer than 16 MiB'],
  ])('%s', async (_name, bytes, message) => {
    async function* chunks() {
      yield bytes;
    }
    await expect(collect(readLines({ name: 'FILE', chunks: chunks() }))).rejects.toThrow(message);
  });
});

let folder: string;
let file: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'replace-file-'));
  file = join(folder, 'file');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const modeOf = (path: string) => statSync(path).mode & 0o777;

test('a new file gets the permissions that are asked for, and no other file stays', () => {
  replaceFile(file, 'new', 0o600);
  expect([readFileSync(file, 'utf8'), modeOf(file), readdirSync(folder)]).toEqual(['new', 0o600, ['file']]);
});

test('a file keeps its permissions', () => {
  writeFileSync(file, 'a long old content');
  chmodSync(file, 0o640);
  replaceFile(file, 'new', 0o600);
  expect([readFileSync(file, 'utf8'), modeOf(file), readdirSync(folder)]).toEqual(['new', 0o640, ['file']]);
});

test.each([true, false])('a symbolic link stays one, whether its target is there: %s', (isThere) => {
  mkdirSync(join(folder, 'elsewhere'));
  const target = join(folder, 'elsewhere', 'target');
  if (isThere) writeFileSync(target, 'a long old content');
  symlinkSync('elsewhere/target', join(folder, 'second'));
  symlinkSync('second', file);
  replaceFile(file, 'new', 0o600);
  expect(lstatSync(file).isSymbolicLink()).toBe(true);
  expect(readFileSync(target, 'utf8')).toBe('new');
  expect(readdirSync(folder).sort()).toEqual(['elsewhere', 'file', 'second']);
});

test('a longer content and a shorter one replace it whole, also under its other name', () => {
  writeFileSync(file, '');
  linkSync(file, join(folder, 'other'));
  for (const content of ['short\n', 'a long content\n', 'ä\n']) {
    replaceFile(file, content, 0o600);
    expect(readFileSync(join(folder, 'other'), 'utf8')).toBe(content);
  }
});

test('what does not fit on the disk leaves the old lines', () => {
  writeFileSync(file, 'old\n');
  const module = new URL('files.ts', import.meta.url);
  const script = `import('${module}').then(({ replaceFile }) => replaceFile('${file}', 'new\\n'.repeat(1_000), 0o600))`;
  const { stderr } = spawnSync('bash', ['-c', 'ulimit -f 1; exec "$@"', 'bash', process.execPath, '--eval', script]);
  expect(`${stderr}`).toContain('EFBIG');
  expect(readFileSync(file, 'utf8').trimEnd()).toBe('old');
});

test('what is no file is written to, and stays', () => {
  replaceFile('/dev/null', 'new', 0o600);
  expect(statSync('/dev/null').isCharacterDevice()).toBe(true);
});

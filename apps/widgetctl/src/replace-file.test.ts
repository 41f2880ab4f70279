import {
  chmodSync,
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
import { afterEach, beforeEach, expect, test } from 'vitest';
import { replaceFile } from './replace-file.ts';

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

test('a longer content and a shorter one replace it whole', () => {
  for (const content of ['short\n', 'a long content\n', 'ä\n']) {
    replaceFile(file, content, 0o600);
    expect(readFileSync(file, 'utf8')).toBe(content);
  }
});

test('what is no file is written to, and stays', () => {
  replaceFile('/dev/null', 'new', 0o600);
  expect(statSync('/dev/null').isCharacterDevice()).toBe(true);
});

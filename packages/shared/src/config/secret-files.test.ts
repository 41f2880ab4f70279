import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { parseSettings, type SettingsError } from './parse-settings.ts';

const folder = mkdtempSync(join(tmpdir(), 'widget-secrets-'));
afterAll(() => rmSync(folder, { recursive: true }));

let count = 0;
function writeSecret(content: string | Uint8Array): string {
  count += 1;
  const path = join(folder, `secret-${count}`);
  writeFileSync(path, content);
  return path;
}

const parse = (environment: Record<string, string>) => parseSettings(environment, { app: 'api' });
function collectMistakes(environment: Record<string, string>): readonly string[] {
  try {
    parse(environment);
    return [];
  } catch (error) {
    expect(error).toMatchObject({ exitCode: 78 });
    return (error as SettingsError).lines;
  }
}

describe('a secret setting from a file', () => {
  test('is not looked for by a worker that does not use it', () => {
    const stores = { MONGODB_URL_FILE: writeSecret('mongodb://db/'), REDIS_URL_FILE: writeSecret('redis://queue/') };
    const environment = { ...stores, OIDC_CLIENT_SECRET_FILE: '/absent', AUDIT_HMAC_KEY_FILE: '/absent' };
    const { settings } = parseSettings(environment, { app: 'worker' });
    expect(settings).toMatchObject({ MONGODB_URL: 'mongodb://db/', REDIS_URL: 'redis://queue/' });
    expect(collectMistakes(environment)).toHaveLength(2);
  });

  test('is read for every secret', () => {
    const { settings, backend } = parse({
      MONGODB_URL_FILE: writeSecret('mongodb://user:secret@db/'),
      REDIS_URL_FILE: writeSecret('redis://:secret@queue/'),
      EVENTS_REDIS_URL_FILE: writeSecret('redis://:secret@events/'),
      ADMIN_PASSWORD_FILE: writeSecret('twelve letters or more'),
    });
    expect(backend).toBe('cluster');
    expect(settings).toMatchObject({
      MONGODB_URL: 'mongodb://user:secret@db/',
      REDIS_URL: 'redis://:secret@queue/',
      EVENTS_REDIS_URL: 'redis://:secret@events/',
      ADMIN_PASSWORD: 'twelve letters or more',
    });
  });

  test.each([
    ['one newline', 'twelve letters\n', 'twelve letters'],
    ['one newline of Windows', 'twelve letters\r\n', 'twelve letters'],
    ['two newlines', 'twelve letters\n\n', 'twelve letters'],
    ['blanks', '  twelve letters  \n', 'twelve letters'],
  ])('loses %s at its ends', (_, content, expected) => {
    expect(parse({ ADMIN_PASSWORD_FILE: writeSecret(content) }).settings.ADMIN_PASSWORD).toBe(expected);
  });

  test('may come from the variable for one setting and from a file for another', () => {
    const { backend } = parse({ MONGODB_URL: 'mongodb://db/', REDIS_URL_FILE: writeSecret('redis://queue/\n') });
    expect(backend).toBe('cluster');
  });

  test('may be absent for the password of the first admin, which is deleted after the first start', () => {
    expect(parse({ ADMIN_PASSWORD_FILE: join(folder, 'deleted') }).settings.ADMIN_PASSWORD).toBeNull();
  });

  test('does not count as set if the variable that names the file is empty', () => {
    expect(parse({ REDIS_URL_FILE: '', MONGODB_URL_FILE: '' }).backend).toBe('embedded');
    expect(parse({ ADMIN_PASSWORD: 'twelve letters', ADMIN_PASSWORD_FILE: '' }).settings.ADMIN_PASSWORD).toBe(
      'twelve letters',
    );
  });
});

describe('a start is refused', () => {
  test('if a secret and its file are both set', () => {
    const file = writeSecret('redis://:from-file@queue/');
    const given = { MONGODB_URL: 'mongodb://db/', REDIS_URL: 'redis://:from-variable@queue/', REDIS_URL_FILE: file };
    expect(collectMistakes(given)).toEqual(['REDIS_URL, REDIS_URL_FILE: both are set; set one of them']);
  });

  test('if a file does not exist, is a folder, or is empty, with one line for each and no other', () => {
    const missing = join(folder, 'missing');
    const empty = writeSecret('\n');
    const given = { MONGODB_URL_FILE: missing, REDIS_URL_FILE: folder, ADMIN_PASSWORD_FILE: empty };
    expect(collectMistakes(given)).toEqual([
      `MONGODB_URL_FILE: ${missing} cannot be read (ENOENT); name a file that this process can read`,
      `REDIS_URL_FILE: ${folder} cannot be read (EISDIR); name a file that this process can read`,
      `ADMIN_PASSWORD_FILE: ${empty} is empty; write the value into it`,
    ]);
  });

  test('without showing the value, if a file has a value that is not allowed', () => {
    const file = writeSecret('http://user:hunter2@db/\n');
    const lines = collectMistakes({ MONGODB_URL_FILE: file, REDIS_URL: 'redis://queue/' });
    expect(lines).toEqual([expect.stringMatching(/^MONGODB_URL: the given value is not allowed/)]);
    expect(lines.join()).not.toContain('hunter2');
  });
});

describe('a file of a secret', () => {
  const canary = 'hunter2';
  test('loses a byte order mark', () => {
    const given = { ADMIN_PASSWORD_FILE: writeSecret('\ufefftwelve letters\r\n') };
    expect(parseSettings(given, { app: 'api' }).settings.ADMIN_PASSWORD).toBe('twelve letters');
  });

  test.each([
    ['UTF-16', Buffer.from(`\ufeff${canary} and more`, 'utf16le'), 'UTF-16'],
    ['UTF-16, big endian', Buffer.from(`\ufeff${canary} and more`, 'utf16le').swap16(), 'UTF-16'],
    ['bytes that are no UTF-8', Buffer.from([0x68, 0xff, 0xfe, 0x80, ...Buffer.from(`${canary} and more`)]), 'UTF-8'],
    ['a NUL character', `${canary}\0 and more`, 'NUL'],
    ['only a byte order mark', '\ufeff\n', 'empty'],
    ['a megabyte', canary.repeat(150_000), '512 KiB'],
  ])('with %s is refused with the reason', (_, content, reason) => {
    const lines = collectMistakes({ ADMIN_PASSWORD_FILE: writeSecret(content) });
    expect(lines).toEqual([expect.stringMatching(/^ADMIN_PASSWORD_FILE: /)]);
    expect(lines[0]).toContain(reason);
    expect(lines[0]).not.toContain(canary);
  });

  test.each(['/dev/zero', '/dev/null', folder])('%s is refused, not read for ever', (path) => {
    expect(collectMistakes({ ADMIN_PASSWORD_FILE: path })).toEqual([expect.stringMatching(/^ADMIN_PASSWORD_FILE: /)]);
  });
});

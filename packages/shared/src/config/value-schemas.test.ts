import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parseSettings } from './parse-settings.ts';

/** Two key pairs, one whose key is too short for TLS, and one key with a passphrase. */
function makeTexts() {
  const folder = mkdtempSync(join(tmpdir(), 'widget-pem-'));
  const file = (name: string) => join(folder, name);
  const read = (name: string) => readFileSync(file(name), 'utf8');
  const run = (...args: string[]) => execFileSync('openssl', args, { stdio: 'ignore' });
  for (const name of ['a', 'b']) {
    const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-keyout', file(`${name}.key`)];
    run('req', '-x509', ...key, '-days', '2', '-subj', '/CN=localhost', '-out', file(`${name}.crt`));
  }
  const short = ['-newkey', 'rsa:1024', '-nodes', '-keyout', file('short.key'), '-out', file('short.crt')];
  run('req', '-x509', ...short, '-days', '2', '-subj', '/CN=localhost');
  run('pkcs8', '-topk8', '-in', file('a.key'), '-passout', 'pass:hunter2', '-out', file('locked.key'));
  const texts = {
    a: read('a.crt'),
    aKey: read('a.key'),
    b: read('b.crt'),
    bKey: read('b.key'),
    locked: read('locked.key'),
    short: read('short.crt'),
    shortKey: read('short.key'),
  };
  rmSync(folder, { recursive: true });
  return texts;
}

const { a, aKey, b, bKey, locked, short, shortKey } = makeTexts();
const stores = { MONGODB_URL: 'mongodb://m/', REDIS_URL: 'rediss://r/' };
const parse = (given: Readonly<Record<string, string>>) => parseSettings({ ...stores, ...given }, { app: 'worker' });

test('a certificate with its chain, its key, and several authorities are accepted', () => {
  for (const pair of [`${a}${b}${aKey}`, `${aKey}${a}`]) {
    const given = { REDIS_TLS_CA: `${a}\n${b}`, REDIS_TLS_CERT: pair };
    expect(parse(given).settings).toMatchObject(given);
  }
});

test.each<[Record<string, string>, RegExp]>([
  [{ REDIS_TLS_CERT: a }, /^REDIS_TLS_CERT: .*the private key of the first one in PEM, without a passphrase$/],
  [{ REDIS_TLS_CERT: aKey }, /^REDIS_TLS_CERT: .*certificates in PEM, and the private key of the first one/],
  [{ REDIS_TLS_CERT: `${a}${bKey}` }, /^REDIS_TLS_CERT: .*whose first one belongs to the private key$/],
  [{ REDIS_TLS_CERT: `${b}${a}${aKey}` }, /^REDIS_TLS_CERT: .*whose first one belongs to the private key$/],
  [{ REDIS_TLS_CERT: `${a}${locked}` }, /^REDIS_TLS_CERT: .*in PEM, without a passphrase$/],
  [{ REDIS_TLS_CERT: `${short}${shortKey}` }, /^REDIS_TLS_CERT: .*a pair that TLS can use \(.*small\)$/],
  [{ REDIS_TLS_CA: a, REDIS_URL: 'redis://r/' }, /^REDIS_TLS_CA: needs a REDIS_URL that begins with rediss:$/],
])('refuses case %# with 78, and quotes nothing', (given, line) => {
  const refused = expect.objectContaining({ exitCode: 78, lines: [expect.stringMatching(line)] });
  expect(() => parse(given)).toThrow(refused);
  expect(() => parse(given)).not.toThrow(/BEGIN|MI[A-Z]/);
});

import { expect, test } from 'vitest';
import { createPasswordHasher } from './password-hasher.ts';

const hasher = createPasswordHasher();

test('hash returns a PHC string with its cost, which verifies only its own password', async () => {
  const phc = await hasher.hash('correct horse battery');
  expect(phc).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$[\w+/]{22}\$[\w+/]{43}$/);
  expect(await hasher.verify('correct horse battery', phc, 'source')).toBe(true);
  expect(await hasher.verify('correct horse batterz', phc, 'source')).toBe(false);
});

test('two hashes of the same password differ', async () => {
  expect(await hasher.hash('the same')).not.toBe(await hasher.hash('the same'));
});

test('verify accepts a hash of the argon2 reference implementation', async () => {
  // Made with `argon2 somesalt -id -m 16 -t 2 -p 1` from "password".
  const phc = '$argon2id$v=19$m=65536,t=2,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc';
  expect(await hasher.verify('password', phc, 'source')).toBe(true);
});

test('verify returns false for an account that does not exist', async () => {
  expect(await hasher.verify('anything', null, 'source')).toBe(false);
});

import { expect, test } from 'vitest';
import { PasswordHasher } from './passwords.ts';

const hasher = new PasswordHasher();

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

test('a flood from one source does not keep another source waiting', async () => {
  const order: string[] = [];
  const release = Promise.withResolvers<void>();
  const flooded = new PasswordHasher(async ({ message, tagLength }) => {
    order.push(String(message));
    await release.promise;
    return Buffer.alloc(tagLength);
  });
  const flood = Array.from({ length: 260 }, (_, index) => flooded.verify(`flood ${index}`, null, '198.51.100.1'));
  const refused = Promise.allSettled(flood).then((all) => all.filter(({ status }) => status === 'rejected').length);
  const others = ['a', 'b'].map((password) => flooded.verify(password, null, '198.51.100.2'));
  release.resolve();
  await Promise.all(others);
  expect(order.slice(0, 6)).toEqual(['flood 0', 'flood 1', 'flood 2', 'a', 'flood 3', 'b']);
  // Two run and 100 wait. Two more were refused to make room for the other source.
  expect(await refused).toBe(260 - 2 - 100 + 2);
});

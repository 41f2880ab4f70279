import { PasswordHasher } from '@widget-service/shared/usecases/access/passwords.ts';
import { expect, test } from 'vitest';
import { aUser } from '../drivers/app/builders.ts';
import { openSharedApp } from '../drivers/app/open-shared.ts';

/** An attacker guesses the password of an account, as fast as the limits of failed sign-ins allow. */
const password = 'correct horse battery';
/** Low, because each guess that is let through costs a hash. */
const perMinute = 1;
const service = await openSharedApp({ limits: { signInFailuresPerMinute: perMinute } });
const passwordHash = await new PasswordHasher().hash(password);

async function createAccount(): Promise<string> {
  const user = aUser({ passwordHash });
  await service.backend.users.insert(user);
  return user.email;
}

const signIn = async (email: string, from: string, sent = 'wrong') => {
  const payload = { email, password: sent };
  return (await service.inject({ method: 'POST', url: '/api/v1/session', remoteAddress: from, payload })).statusCode;
};

/** Sends guesses, and returns how many passwords were verified. */
async function countGuesses(count: number, choose: (attempt: number) => readonly [email: string, from: string]) {
  const statuses: number[] = [];
  for (let attempt = 0; attempt < count; attempt += 1) statuses.push(await signIn(...choose(attempt)));
  expect(new Set(statuses)).toEqual(new Set([403, 429]));
  return statuses.filter((status) => status === 403).length;
}

test('from one address: the guesses at an account are limited, and those at all accounts', async () => {
  const email = await createAccount();
  const other = await createAccount();
  const spell = (attempt: number) => (attempt % 2 === 0 ? email : email.toUpperCase());
  expect(await countGuesses(5, (attempt) => [spell(attempt), '198.51.100.1'])).toBe(perMinute);
  expect(await countGuesses(12, (attempt) => [`${attempt}@example.com`, '198.51.100.2'])).toBe(6 * perMinute);
  // The right password does not help where the limit is used up.
  expect(await signIn(email, '198.51.100.1', password)).toBe(429);
  expect(await signIn(other, '198.51.100.2', password)).toBe(429);
});

test('from many addresses: those at an account are limited for each network, and its user can sign in elsewhere', async () => {
  const email = await createAccount();
  const networks = 6;
  // An attacker has as many addresses of an IPv6 /64 network as it wants: they count as one.
  const choose = (attempt: number) => [email, `2001:db8:0:${attempt % networks}::${attempt + 1}`] as const;
  expect(await countGuesses(4 * networks, choose)).toBe(networks * perMinute);
  expect(await signIn(email, '203.0.113.7', password)).toBe(200);
});

import { expect, test } from 'vitest';
import { buildUser, type User } from '../../entities/user.ts';
import { type DeriveTag, deriveArgon2id, PasswordHasher } from './passwords.ts';
import { SignIn, type SignInDeps } from './sign-in.ts';

const password = 'correct horse battery';
const now = new Date('2026-03-01T10:00:00.000Z');

/** Per computed hash, everything that its duration depends on. */
const computations: object[] = [];
const derive: DeriveTag = (parameters) => {
  const { message, nonce, ...cost } = parameters;
  computations.push({
    ...cost,
    passwordBytes: Buffer.from(message as string).length,
    nonceBytes: Buffer.from(nonce as Buffer).length,
  });
  return deriveArgon2id(parameters);
};
const passwords = new PasswordHasher(derive);

const passwordHash = await new PasswordHasher().hash(password);
const enabled = aUser('on@example.org', false);
const users = [enabled, aUser('off@example.org', true)];

function aUser(email: string, disabled: boolean): User {
  return buildUser({ id: email, email, role: 'viewer', disabled, passwordHash, createdAt: now });
}

const times = { createdAt: now, lastSeenAt: now, expiresAt: now };
const deps: SignInDeps = {
  users: {
    find: async (where) => users.find((user) => user.email === where?.email) ?? null,
    get: async (id) => users.find((user) => user.id === id) ?? null,
    insert: async () => true,
    change: async () => null,
  },
  passwords,
  limits: {
    run: (_attempt, run) => run(),
    takeForUser: async () => ({ status: 'granted', giveBack: async () => undefined }),
  },
  sessions: {
    start: async (userId) => ({
      sessionId: 'a session',
      session: { id: 's', digest: 'd', userId, device: null, address: null, ...times },
    }),
    endAll: async () => undefined,
    endOthers: async () => undefined,
    endReplaced: async () => undefined,
  },
  control: { announce: async () => undefined },
  clock: { now: () => now },
};
const signIn = new SignIn(deps);
const from = (address: string) => ({ address, isShared: false });
const readOrigin = () => ({ device: null, address: null });

test('sign-in computes the same hash whether or not the account exists', async () => {
  const wrong = password.toUpperCase();
  const attempts = [
    { email: 'on@example.org', password },
    { email: 'on@example.org', password: wrong },
    { email: 'off@example.org', password },
    { email: 'nobody@example.org', password },
    { email: '', password: wrong },
  ];
  const statuses: string[] = [];
  for (const attempt of attempts)
    statuses.push((await signIn.byPassword({ ...attempt, source: from('198.51.100.1'), readOrigin })).status);
  expect(statuses).toEqual(['signed-in', 'refused', 'refused', 'refused', 'refused']);
  const cost = { memory: 19_456, passes: 2, parallelism: 1, tagLength: 32, passwordBytes: 21, nonceBytes: 16 };
  expect(computations).toEqual(attempts.map(() => cost));
});

test('addresses take turns in hashing passwords', async () => {
  const sources: string[] = [];
  const countingSignIn = new SignIn({
    ...deps,
    passwords: {
      hash: (text) => passwords.hash(text),
      verify: async (_password, _phc, source) => {
        sources.push(source);
        return false;
      },
    },
  });
  for (const address of ['192.0.2.1', '192.0.2.2'])
    await countingSignIn.byPassword({ email: 'on@example.org', password, source: from(address), readOrigin });
  expect(sources).toEqual(['192.0.2.1', '192.0.2.2']);
});

test('only a sign-in that succeeds reads where it comes from', async () => {
  const read: string[] = [];
  const attempt = (email: string) => {
    const readOrigin = () => {
      read.push(email);
      return { device: null, address: null };
    };
    return signIn.byPassword({ email, password, source: from('192.0.2.1'), readOrigin });
  };
  for (const email of ['off@example.org', 'nobody@example.org', 'on@example.org']) await attempt(email);
  expect(read).toEqual(['on@example.org']);
});

import { randomBytes } from 'node:crypto';
import { createUuidV7 } from '../../domain/uuid.ts';
import type { UserStore } from '../../ports/user-store.ts';
import type { Clock } from '../../runtime/clock.ts';
import type { PasswordHasher } from './hash-password.ts';

export interface CreateFirstAdminDeps {
  readonly users: Pick<UserStore, 'insertFirst'>;
  readonly passwords: Pick<PasswordHasher, 'hash'>;
  readonly clock: Pick<Clock, 'now'>;
}

export type FirstAdminOutcome =
  /** `generatedPassword` is known to nobody else: print it once. Null when the password was given. */
  | { readonly status: 'created'; readonly email: string; readonly generatedPassword: string | null }
  /** There are users already. */
  | { readonly status: 'not-needed' };

/** Makes the first admin while there is no user at all; without a password it makes up one. */
export function createCreateFirstAdmin({ users, passwords, clock }: CreateFirstAdminDeps) {
  return async (email: string, password: string | null): Promise<FirstAdminOutcome> => {
    const generatedPassword = password === null ? randomBytes(18).toString('base64url') : null;
    const isFirst = await users.insertFirst({
      id: createUuidV7(),
      email: email.toLowerCase(),
      role: 'admin',
      disabled: false,
      passwordHash: await passwords.hash(password ?? generatedPassword ?? ''),
      createdAt: clock.now(),
      lastSignInAt: null,
    });
    return isFirst ? { status: 'created', email: email.toLowerCase(), generatedPassword } : { status: 'not-needed' };
  };
}

import type { Role } from '../../domain/role.ts';
import { createUuidV7 } from '../../domain/uuid.ts';
import type { User, UserStore } from '../../ports/user-store.ts';
import type { Clock } from '../../runtime/clock.ts';
import type { PasswordHasher } from './hash-password.ts';

export interface CreateUserDeps {
  readonly users: Pick<UserStore, 'insert'>;
  readonly passwords: Pick<PasswordHasher, 'hash'>;
  readonly clock: Pick<Clock, 'now'>;
}

export interface NewUser {
  readonly email: string;
  readonly password: string;
  readonly role: Role;
}

export type CreateUserOutcome =
  | { readonly status: 'created'; readonly user: User }
  /** E-mails are compared without regard to case. */
  | { readonly status: 'email-in-use' };

/** Creates a person who may sign in. */
export function createCreateUser({ users, passwords, clock }: CreateUserDeps) {
  return async ({ email, password, role }: NewUser): Promise<CreateUserOutcome> => {
    const user: User = {
      id: createUuidV7(),
      email: email.toLowerCase(),
      role,
      disabled: false,
      passwordHash: await passwords.hash(password),
      createdAt: clock.now(),
      lastSignInAt: null,
    };
    return (await users.insert(user)) ? { status: 'created', user } : { status: 'email-in-use' };
  };
}

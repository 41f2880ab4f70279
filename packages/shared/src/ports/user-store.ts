import type { Role } from '../domain/role.ts';
import type { RowRange } from './grant-store.ts';

export interface User {
  readonly id: string;
  /** Lower-case. */
  readonly email: string;
  readonly role: Role;
  readonly disabled: boolean;
  /** PHC string format: `$argon2id$…`. */
  readonly passwordHash: string;
  readonly createdAt: Date;
  readonly lastSignInAt: Date | null;
}

/** What may be changed of a user. A member that is not there stays as it is. */
export type UserChanges = Partial<Pick<User, 'role' | 'disabled' | 'passwordHash'>>;

export type UserUpdate =
  /** `user`: as it is now. */
  | { readonly status: 'updated'; readonly user: User }
  | { readonly status: 'unknown' }
  /** Nothing was changed: it would have left no admin who is not disabled. */
  | { readonly status: 'last-admin' };

/** Throws `UnavailableError`. */
export interface UserStore {
  /** `false` when the e-mail is in use: of two concurrent inserts of one e-mail exactly one succeeds. */
  insert(user: User): Promise<boolean>;
  /** Inserts only while there is no user at all. On several pods at once: at most one user comes of it. */
  insertFirst(user: User): Promise<boolean>;
  findByEmail(email: string): Promise<User | null>;
  findById(id: string): Promise<User | null>;
  /** Newest first: by `createdAt`, then by `id`, both falling; and how many there are in all. */
  list(range: RowRange): Promise<{ readonly items: readonly User[]; readonly totalItems: number }>;
  /**
   * Changes the given members. Once there is an admin who is not disabled there is always one, whatever several pods
   * do at once, and wherever one of them dies meanwhile.
   */
  update(id: string, changes: UserChanges): Promise<UserUpdate>;
  /**
   * Stores the hash `next` if the stored one still is `known`, the one that a password was verified against. `false`,
   * and nothing is changed, when the user has another by then, or is unknown.
   */
  replacePasswordHash(id: string, known: string, next: string): Promise<boolean>;
  recordSignIn(id: string, at: Date): Promise<void>;
}

/** Whether the user counts among those of whom one must be left. */
export function isEnabledAdmin(user: Pick<User, 'role' | 'disabled'>): boolean {
  return user.role === 'admin' && !user.disabled;
}

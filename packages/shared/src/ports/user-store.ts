import type { ListedRow, RowRange } from '../domain/page.ts';
import type { Role } from '../domain/role.ts';

/** Who a user is at an identity provider, as OpenID Connect names people: a subject is unique only at its issuer. */
export interface ExternalIdentity {
  readonly issuer: string;
  readonly subject: string;
}

export interface User {
  readonly id: string;
  /** Lower-case. */
  readonly email: string;
  /** A name for people; null: none. */
  readonly name: string | null;
  readonly role: Role;
  readonly disabled: boolean;
  /** PHC string format: `$argon2id$…`. Null for a user with an `identity`, who signs in at the identity provider. */
  readonly passwordHash: string | null;
  /** An admin has set the password. Until the user changes it, their sessions may do nothing else. */
  readonly mustChangePassword: boolean;
  /** When the password ends that an admin has set. Read it with `findPasswordEnd`. Absent: never. */
  readonly passwordExpiresAt?: Date;
  /** Absent for a user who signs in with a password. No two users have the same identity. */
  readonly identity?: ExternalIdentity;
  readonly createdAt: Date;
  readonly lastSignInAt: Date | null;
}

/** The changes of a user. Missing members stay unchanged. */
export type UserChanges = Partial<
  Pick<User, 'name' | 'role' | 'disabled' | 'mustChangePassword' | 'passwordExpiresAt'> & {
    readonly passwordHash: string;
  }
>;

export type UserUpdate =
  /** `user` is the changed user. */
  | { readonly status: 'updated'; readonly user: User }
  | { readonly status: 'unknown' }
  /** Nothing was changed: a password was given for a user with an identity. */
  | { readonly status: 'no-password' }
  /**
   * Nothing was changed: no enabled admin would be left. After a crash, the cluster may return this for some seconds
   * although another admin is left.
   */
  | { readonly status: 'last-admin' };

/** Methods throw `UnavailableError`. */
export interface UserStore {
  /**
   * Returns false if the e-mail or the identity is in use. Of two concurrent inserts of one e-mail exactly one
   * succeeds, and so of one identity.
   */
  insert(user: User): Promise<boolean>;
  /** Inserts only if there are no users. If several pods call it at the same time, at most one user is inserted. */
  insertFirst(user: User): Promise<boolean>;
  /** `email` must be lower-case. */
  findByEmail(email: string): Promise<User | null>;
  findById(id: string): Promise<User | null>;
  findByIdentity(identity: ExternalIdentity): Promise<User | null>;
  /** Newest first: by `createdAt`, then by `id`, both descending. */
  list(range: RowRange): Promise<readonly ListedRow<User>[]>;
  /** Counts up to `atMost`. The time grows with the result. */
  count(atMost: number): Promise<number>;
  /**
   * Changes the given members. Never demotes or disables the last enabled admin: not even if several pods update users
   * at the same time, or if one of them crashes in between.
   */
  update(id: string, changes: UserChanges): Promise<UserUpdate>;
  /**
   * Replaces the password hash if it is still `expectedHash`, the hash that the caller verified a password against.
   * Also sets `mustChangePassword` to false: the user has chosen this password. Returns false and changes nothing if
   * the user has another hash, or is unknown.
   */
  replacePasswordHash(id: string, expectedHash: string, newHash: string): Promise<boolean>;
  /**
   * Gives a user with a password this identity instead: the password hash becomes null, and `mustChangePassword` false.
   * Returns false and changes nothing if the user is unknown or has an identity, or if another user has this one.
   */
  replacePasswordByIdentity(id: string, identity: ExternalIdentity): Promise<boolean>;
  recordSignIn(id: string, at: Date): Promise<void>;
}

/** Whether the user is an enabled admin. Once there is one, the store always keeps at least one: see `update`. */
export function isEnabledAdmin(user: Pick<User, 'role' | 'disabled'>): boolean {
  return user.role === 'admin' && !user.disabled;
}

/** Returns when the password of a user ends. Null: never, because the user has chosen it or has none. */
export function findPasswordEnd({ mustChangePassword, passwordExpiresAt }: User): Date | null {
  return mustChangePassword ? (passwordExpiresAt ?? null) : null;
}

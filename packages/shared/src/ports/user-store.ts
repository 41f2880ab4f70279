import type { Role } from '../domain/role.ts';

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

/** Throws `UnavailableError`. */
export interface UserStore {
  /** `false` when the e-mail is in use: of two concurrent inserts of one e-mail exactly one succeeds. */
  insert(user: User): Promise<boolean>;
  /** Inserts only while there is no user at all. On several pods at once: at most one user comes of it. */
  insertFirst(user: User): Promise<boolean>;
  findByEmail(email: string): Promise<User | null>;
  findById(id: string): Promise<User | null>;
  recordSignIn(id: string, at: Date): Promise<void>;
}

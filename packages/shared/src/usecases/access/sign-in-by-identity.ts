import type { Role } from '../../domain/role.ts';
import { buildUser, type ExternalIdentity, type User, whereIdentityIs } from '../../entities/user.ts';
import type { Collection } from '../../ports/collection.ts';
import { updateUser } from './manage-users.ts';
import type { SessionOrigin } from './sessions.ts';
import type { SignIn, SignInDeps, SignInOutcome } from './sign-in.ts';
import type { RateLimited } from './sign-in-limits.ts';

/** What the identity provider says about a person who has just signed in there. The caller has verified it. */
export interface VerifiedIdentity extends ExternalIdentity {
  /** Null if the provider names no valid address. */
  readonly email: string | null;
  /** Whether the provider says that the address belongs to this person. */
  readonly isEmailVerified: boolean;
  /** Null if no value of the claim gives a role in this service. */
  readonly role: Role | null;
}

type RefusalReason =
  | 'no-role'
  | 'disabled'
  /** A new user needs an e-mail address. */
  | 'no-email'
  /** Another user has the address, and the provider does not say that it belongs to this person. */
  | 'email-in-use'
  /** The new role would leave the service without an enabled admin. */
  | 'last-admin';

export type IdentitySignInOutcome =
  | Exclude<SignInOutcome, { readonly status: 'refused' }>
  | RateLimited
  | { readonly status: 'refused'; readonly reason: RefusalReason };

/** What a sign-in has stored about a user. */
export interface IdentityUserChange {
  /** Null: the user is new. */
  readonly before: User | null;
  readonly after: User;
}

type OnUserChange = (change: IdentityUserChange) => void;

type FoundUser = { readonly user: User } | { readonly reason: RefusalReason };

/**
 * Signs in people whom an identity provider has authenticated.
 *
 * The issuer and the subject decide who it is. The first sign-in adds a user. If a user with a password has the
 * person's address and the provider has verified it, the identity replaces that password: a user has one of the two, so
 * that a person who was removed at the provider cannot sign in here. The user gets the role of this sign-in. Without a
 * role, the sign-in is refused and all sessions of the user end. What `readOrigin` returns is stored with the session.
 *
 * `onUserChange` is called right after each change of a user is stored, also if the sign-in fails afterwards.
 *
 * Throws `UnavailableError`. What was stored before, such as the new role, stays; repeating the sign-in is safe.
 */
export class SignInByIdentity {
  readonly #deps: SignInDeps;
  readonly #signIn: Pick<SignIn, 'finish'>;

  constructor(deps: SignInDeps, signIn: Pick<SignIn, 'finish'>) {
    this.#deps = deps;
    this.#signIn = signIn;
  }

  async run(
    identity: VerifiedIdentity,
    readOrigin: () => SessionOrigin,
    onUserChange: OnUserChange,
  ): Promise<IdentitySignInOutcome> {
    const { issuer, subject, role } = identity;
    const known = await this.#deps.users.find(whereIdentityIs({ issuer, subject }));
    if (role === null) {
      if (known !== null) await this.#deps.sessions.endAll(known.id);
      return { status: 'refused', reason: 'no-role' };
    }
    const found = await this.#findOrAddUser(known, identity, role, onUserChange);
    if ('reason' in found) return { status: 'refused', reason: found.reason };
    if (found.user.disabled) return { status: 'refused', reason: 'disabled' };
    if (found.user.role !== role && !(await changeRole(this.#deps, found.user, role, onUserChange))) {
      return { status: 'refused', reason: 'last-admin' };
    }
    const permit = await this.#deps.limits.takeForUser(found.user.id);
    if (permit.status === 'rate-limited') return permit;
    const outcome = await this.#signIn.finish(found.user, readOrigin);
    return outcome.status === 'refused' ? { status: 'refused', reason: 'disabled' } : outcome;
  }

  async #findOrAddUser(
    known: User | null,
    identity: VerifiedIdentity,
    role: Role,
    onUserChange: OnUserChange,
  ): Promise<FoundUser> {
    if (known !== null) return { user: known };
    const namesake = identity.email === null ? null : await this.#deps.users.find({ email: identity.email });
    return namesake === null
      ? this.#addUser(identity, role, onUserChange)
      : this.#replacePassword(namesake, identity, role, onUserChange);
  }

  async #addUser(
    { issuer, subject, email }: VerifiedIdentity,
    role: Role,
    onUserChange: OnUserChange,
  ): Promise<FoundUser> {
    if (email === null) return { reason: 'no-email' };
    const identity = { issuer, subject };
    const user = buildUser({ email, role, identity, createdAt: this.#deps.clock.now() });
    if (!(await this.#deps.users.insert(user))) return findConcurrentlyAdded(this.#deps.users, identity);
    onUserChange({ before: null, after: user });
    return { user };
  }

  async #replacePassword(
    user: User,
    { issuer, subject, isEmailVerified }: VerifiedIdentity,
    role: Role,
    onUserChange: OnUserChange,
  ): Promise<FoundUser> {
    const identity = { issuer, subject };
    if (!isEmailVerified || user.identity !== undefined) return findConcurrentlyAdded(this.#deps.users, identity);
    if (user.disabled) return { reason: 'disabled' };
    // The role changes first: if the provider would demote the last admin, password and sessions stay.
    if (!(await changeRole(this.#deps, user, role, onUserChange))) return { reason: 'last-admin' };
    // Ends the sessions before the change, too: if that failed afterwards, the next sign-in would find the identity and
    // end none.
    await this.#deps.sessions.endAll(user.id);
    const replaced = await this.#deps.users.change(user.id, (current) =>
      current.identity === undefined ? { passwordHash: null, mustChangePassword: false, identity } : null,
    );
    if (replaced === null) return findConcurrentlyAdded(this.#deps.users, identity);
    const linked = { ...user, role, passwordHash: null, mustChangePassword: false, identity };
    onUserChange({ before: { ...user, role }, after: linked });
    await this.#deps.sessions.endAll(user.id);
    return { user: linked };
  }
}

/** Finds the user if another request has just added the same person. */
async function findConcurrentlyAdded(
  users: Pick<Collection<User>, 'find'>,
  identity: ExternalIdentity,
): Promise<FoundUser> {
  const user = await users.find(whereIdentityIs(identity));
  return user === null ? { reason: 'email-in-use' } : { user };
}

/** Returns false and changes nothing if no enabled admin would be left. */
async function changeRole(
  { users, control }: Pick<SignInDeps, 'users' | 'control'>,
  user: User,
  role: Role,
  onUserChange: OnUserChange,
): Promise<boolean> {
  const { status } = await updateUser(users, user.id, { role });
  // Another sign-in may have stored the same role meanwhile. Then both count as its change.
  if (status === 'updated' && user.role !== role) onUserChange({ before: user, after: { ...user, role } });
  if (status === 'updated') await control.announce({ kind: 'user', id: user.id, change: 'changed' });
  return status !== 'last-admin';
}

import type { Session } from '../../entities/session.ts';
import { findPasswordEnd, type User } from '../../entities/user.ts';
import type { Collection } from '../../ports/collection.ts';
import type { ControlLog } from '../../ports/control-log.ts';
import type { Clock } from '../../runtime/clock.ts';
import { findPasswordWeakness, type PasswordHasher } from './passwords.ts';
import type { ManageSessions, SessionOrigin, StartedSession } from './sessions.ts';
import type { AttemptSource, RateLimited, SignInLimits } from './sign-in-limits.ts';

/** What a sign-in needs, with a password or through an identity provider. */
export interface SignInDeps {
  readonly users: Pick<Collection<User>, 'find' | 'get' | 'insert' | 'change'>;
  readonly passwords: Pick<PasswordHasher, 'hash' | 'verify'>;
  readonly limits: Pick<SignInLimits, 'run' | 'takeForUser'>;
  readonly sessions: Pick<ManageSessions, 'start' | 'endAll' | 'endOthers' | 'endReplaced'>;
  readonly control: Pick<ControlLog, 'announce'>;
  readonly clock: Pick<Clock, 'now'>;
}

interface Origin {
  /** Addresses take turns in hashing passwords. */
  readonly source: AttemptSource;
  /** Returns what is stored with the session. Called only if the sign-in succeeds: failed attempts must cost little. */
  readonly readOrigin: () => SessionOrigin;
}

interface PasswordAttempt extends Origin {
  readonly email: string;
  readonly password: string;
}

export interface PasswordChange extends Origin {
  readonly user: User;
  /** The session of this request, and its secret. It is the last one to end. */
  readonly session: Session;
  readonly sessionId: string;
  readonly currentPassword: string;
  readonly newPassword: string;
}

/** `user` has a new session. */
type SignedInNow = { readonly status: 'signed-in'; readonly user: User } & StartedSession;

export type SignInOutcome =
  | SignedInNow
  /**
   * The account is unknown or disabled, or the password is wrong or has ended. All cases look alike and take the same
   * time, so that no one can find out which accounts exist.
   */
  | {
      readonly status: 'refused';
      /** The account with this e-mail, for the audit trail. Null if there is none. The response must not reveal it. */
      readonly userId: string | null;
    };

export type PasswordChangeOutcome =
  | SignedInNow
  /** The current password is wrong. */
  | { readonly status: 'refused' }
  /** The current password is right. `detail` says to the user why the new password is not accepted. */
  | { readonly status: 'weak'; readonly detail: string }
  /** The user signs in at an identity provider. Nothing was verified or counted. */
  | { readonly status: 'no-password' }
  /** After too many failures or new sessions. */
  | RateLimited;

/**
 * Signs people in with a password, and changes it. All methods throw `UnavailableError` when a store did not answer or
 * too many passwords are being hashed; a session may then exist, but nobody has its id.
 */
export class SignIn {
  readonly #deps: SignInDeps;

  constructor(deps: SignInDeps) {
    this.#deps = deps;
  }

  /** Signs a user in with e-mail and password, and starts a session. */
  byPassword({ email, password, source, readOrigin }: PasswordAttempt): Promise<SignInOutcome | RateLimited> {
    const { users, passwords, limits, clock } = this.#deps;
    return limits.run({ email, source }, async (): Promise<SignInOutcome | RateLimited> => {
      const user = await users.find({ email: email.toLowerCase() });
      const isCorrect = await passwords.verify(password, user?.passwordHash ?? null, source.address);
      const isOver = user !== null && (findPasswordEnd(user) ?? Number.POSITIVE_INFINITY) <= clock.now();
      if (user === null || user.disabled || isOver || !isCorrect)
        return { status: 'refused', userId: user?.id ?? null };
      const permit = await limits.takeForUser(user.id);
      return permit.status === 'rate-limited' ? permit : this.finish(user, readOrigin);
    });
  }

  /**
   * Ends every sign-in, by password or through an identity provider: starts a session for a user who has proven who
   * they are. Refuses if the user was disabled, or got another password, since `user` was read.
   */
  async finish(user: User, readOrigin: () => SessionOrigin): Promise<SignInOutcome> {
    const { users, sessions, clock } = this.#deps;
    const started = await sessions.start(user.id, readOrigin());
    // A concurrent change of the password, or disabling the user, ends the sessions. It may have missed this new one.
    // So the user is read again: after such a change nobody gets the session id.
    const current = await users.get(user.id);
    if (current?.passwordHash !== user.passwordHash || current.disabled) return { status: 'refused', userId: user.id };
    const lastSignInAt = clock.now();
    await users.change(user.id, () => ({ lastSignInAt }));
    return { status: 'signed-in', user: { ...current, lastSignInAt }, ...started };
  }

  /**
   * Changes the caller's own password. A new session replaces all sessions of the user: who has stolen the cookie of
   * one of them must not keep it. A wrong password counts as two failures. The caller can repeat the call with the same
   * passwords and the same session: if the first call stored the new password, the second one only replaces the
   * sessions.
   */
  async changePassword(change: PasswordChange): Promise<PasswordChangeOutcome> {
    const { limits } = this.#deps;
    const { passwordHash, email } = change.user;
    if (passwordHash === null) return { status: 'no-password' };
    const attempt = { email, source: change.source };
    const outcome = await limits.run(attempt, () => this.#storePassword(change, passwordHash));
    if (outcome.status !== 'refused') return outcome;
    // Counts as another attempt, because it verifies a second password: otherwise one request could guess twice.
    const retryOutcome = await limits.run(attempt, () => this.#finishEarlierChange(change));
    return retryOutcome.status === 'signed-in' ? retryOutcome : outcome;
  }

  async #storePassword(change: PasswordChange, currentHash: string): Promise<PasswordChangeOutcome> {
    const { users, passwords, limits } = this.#deps;
    const { user, currentPassword, newPassword } = change;
    // Takes turns by user, so that a signed-in user does not wait for strangers at the same address.
    if (!(await passwords.verify(currentPassword, currentHash, user.id))) return { status: 'refused' };
    if (newPassword === currentPassword) {
      return { status: 'weak', detail: 'The new password must differ from the current one.' };
    }
    const weakness = findPasswordWeakness(newPassword, user.email);
    if (weakness !== null) return { status: 'weak', detail: weakness };
    const permit = await limits.takeForUser(user.id);
    if (permit.status === 'rate-limited') return permit;
    const newHash = await passwords.hash(newPassword);
    // Fails if the password was changed meanwhile: then `currentPassword` is no longer the current one.
    const changed = await users.change(user.id, ({ passwordHash }) =>
      passwordHash === currentHash ? { passwordHash: newHash, mustChangePassword: false } : null,
    );
    return changed === null ? { status: 'refused' } : this.#replaceSessions(change, newHash);
  }

  /** Replaces the sessions if an earlier call has stored the new password and then failed. */
  async #finishEarlierChange(change: PasswordChange): Promise<PasswordChangeOutcome> {
    const { users, passwords } = this.#deps;
    const { user, newPassword } = change;
    const passwordHash = (await users.get(user.id))?.passwordHash ?? null;
    const isNewPassword = await passwords.verify(newPassword, passwordHash, user.id);
    return passwordHash === null || !isNewPassword
      ? { status: 'refused' }
      : this.#replaceSessions(change, passwordHash);
  }

  /** Ends all sessions of the user and starts a new one. Until it has succeeded, the request's session is valid. */
  async #replaceSessions(change: PasswordChange, passwordHash: string): Promise<PasswordChangeOutcome> {
    const { sessions } = this.#deps;
    await sessions.endOthers(change.session);
    const outcome = await this.finish({ ...change.user, passwordHash }, change.readOrigin);
    if (outcome.status === 'signed-in') await sessions.endReplaced(change.sessionId);
    return outcome;
  }
}

import type { Session } from '../../entities/session.ts';
import type { User } from '../../entities/user.ts';
import type { Collection } from '../../ports/collection.ts';
import { findPasswordWeakness } from './check-new-password.ts';
import type { PasswordHasher } from './password-hasher.ts';
import type { ManageSessions, SessionOrigin, StartedSession } from './sessions.ts';
import type { makeFinishSignIn } from './sign-in.ts';
import type { AttemptSource, makeLimitSignInAttempts, makeTakeUserPermit, RateLimited } from './sign-in-limits.ts';

export interface ChangeOwnPasswordDeps {
  readonly users: Pick<Collection<User>, 'get' | 'change'>;
  readonly passwords: PasswordHasher;
  readonly limitSignInAttempts: ReturnType<typeof makeLimitSignInAttempts>;
  readonly takeUserPermit: ReturnType<typeof makeTakeUserPermit>;
  readonly sessions: Pick<ManageSessions, 'endOthers' | 'endReplaced'>;
  readonly finishSignIn: ReturnType<typeof makeFinishSignIn>;
}

export interface PasswordChange {
  readonly user: User;
  /** The session of this request, and its secret. It ends last. */
  readonly session: Session;
  readonly sessionId: string;
  /** Where the request comes from. Stored with the new session. Called once the password is verified. */
  readonly readOrigin: () => SessionOrigin;
  readonly source: AttemptSource;
  readonly currentPassword: string;
  readonly newPassword: string;
}

type Outcome =
  /** `user` has the new password, and a new session. */
  | ({ readonly status: 'changed'; readonly user: User } & StartedSession)
  | { readonly status: 'refused' }
  | RateLimited
  /** `detail` says to the user why the new password is not accepted. */
  | { readonly status: 'weak'; readonly detail: string };

/** The user signs in at an identity provider. Nothing was verified or counted. */
const noPassword = { status: 'no-password' } as const;

/**
 * Makes the function by which a user changes their own password. A new session replaces all sessions of the user: who
 * has stolen the cookie of one of them must not keep it. The status is `changed`, `refused` if `currentPassword` is
 * wrong, `weak` if it is right but `newPassword` is not accepted, `no-password` if the user has an identity instead, or
 * `rate-limited` after too many failures or new sessions. A wrong password counts as two failures.
 *
 * Throws `UnavailableError` when a store did not answer or too many passwords are being hashed. The caller can repeat
 * the call with the same passwords and the same session: if the first call stored the new password, the second one only
 * replaces the sessions.
 */
export function makeChangeOwnPassword(deps: ChangeOwnPasswordDeps) {
  const { users, passwords, limitSignInAttempts } = deps;

  async function changePassword(change: PasswordChange, currentHash: string): Promise<Outcome> {
    const { user, currentPassword, newPassword } = change;
    // Users take turns: who is signed in need not share a turn with strangers at the same address.
    if (!(await passwords.verify(currentPassword, currentHash, user.id))) return { status: 'refused' };
    if (newPassword === currentPassword) {
      return { status: 'weak', detail: 'The new password must differ from the current one.' };
    }
    const weakness = findPasswordWeakness(newPassword, user.email);
    if (weakness !== null) return { status: 'weak', detail: weakness };
    const permit = await deps.takeUserPermit(user.id);
    if (permit.status === 'rate-limited') return permit;
    const newHash = await passwords.hash(newPassword);
    // Fails if the password was changed meanwhile: then `currentPassword` is no longer the current one.
    const changed = await users.change(user.id, ({ passwordHash }) =>
      passwordHash === currentHash ? { passwordHash: newHash, mustChangePassword: false } : null,
    );
    if (changed === null) return { status: 'refused' };
    return replaceSessions(change, newHash);
  }

  /** Ends all sessions of the user and starts a new one. Until it has succeeded, the request's session is valid. */
  async function replaceSessions(change: PasswordChange, passwordHash: string): Promise<Outcome> {
    await deps.sessions.endOthers(change.session);
    const outcome = await deps.finishSignIn({ ...change.user, passwordHash }, change.readOrigin);
    if (outcome.status === 'refused') return { status: 'refused' };
    await deps.sessions.endReplaced(change.sessionId);
    return { ...outcome, status: 'changed' };
  }

  /** Replaces the sessions if an earlier call has stored the new password and then failed. */
  async function finishEarlierChange(change: PasswordChange): Promise<Outcome> {
    const { user, newPassword } = change;
    const passwordHash = (await users.get(user.id))?.passwordHash ?? null;
    const isNewPassword = await passwords.verify(newPassword, passwordHash, user.id);
    if (passwordHash === null || !isNewPassword) return { status: 'refused' };
    return replaceSessions(change, passwordHash);
  }

  return async (request: PasswordChange) => {
    const { passwordHash, email } = request.user;
    if (passwordHash === null) return noPassword;
    const attempt = { email, source: request.source };
    const outcome = await limitSignInAttempts(attempt, () => changePassword(request, passwordHash));
    if (outcome.status !== 'refused') return outcome;
    // This verifies a second password, so it counts as an attempt of its own. Otherwise one request could guess twice.
    const retryOutcome = await limitSignInAttempts(attempt, () => finishEarlierChange(request));
    return retryOutcome.status === 'changed' ? retryOutcome : outcome;
  };
}

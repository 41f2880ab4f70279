import { findDeviceNonce, isWellFormedDeviceCookie } from '../../domain/device-cookie.ts';
import { UnavailableError } from '../../domain/errors.ts';
import type { User } from '../../entities/user.ts';
import type { Collection } from '../../ports/collection.ts';
import type { Clock } from '../../runtime/clock.ts';
import { createSemaphore } from '../../runtime/semaphore.ts';

export interface RecognizeBrowserDeps {
  readonly users: Pick<Collection<User>, 'find'>;
  readonly clock: Pick<Clock, 'now'>;
}

/** Anybody can send a well-formed cookie, and each one costs a read: so few run at once, and addresses take turns. */
const readLimits = { what: 'recognise a browser', maxRunning: 10, maxWaiting: 500, maxWaitMs: 500 } as const;
/** Stands for an account that does not exist, so that its cookies cost the same time. */
const decoy = { id: '', passwordHash: '' } as const;

/**
 * Makes the function that finds out whether a browser has signed in to an account before. It returns the nonce that
 * names the browser, or null for a stranger. It reads nothing unless the cookie is well-formed. If the read fails or
 * must wait too long, the browser counts as a stranger.
 */
export function makeRecognizeBrowser({ users, clock }: RecognizeBrowserDeps) {
  const limitReads = createSemaphore(readLimits);
  return async (email: string, cookie: string | null, address: string): Promise<string | null> => {
    if (cookie === null || !isWellFormedDeviceCookie(cookie)) return null;
    const user = await limitReads(() => users.find({ email: email.toLowerCase() }), address).catch(toNull);
    // A user of an identity provider has no password, so no hash from which a key could be made.
    const passwordHash = user?.passwordHash ?? null;
    const account = user === null || passwordHash === null ? decoy : { id: user.id, passwordHash };
    const nonce = findDeviceNonce(cookie, account, clock.now());
    return account === decoy ? null : nonce;
  };
}

function toNull(error: unknown): null {
  if (error instanceof UnavailableError) return null;
  throw error;
}

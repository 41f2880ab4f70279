import { computed, effect, type Signal, signal } from '@preact/signals';
import { ProblemError } from '@widget-service/client/requests/failures.ts';
import { attempt } from '../parts/preferences.ts';
import { api, type Schemas, service, sessionEnds } from '../service/service.ts';

type Session = Schemas['Session'];
export type Permission = Session['permissions'][number];

/**
 * - `unknown`: the page has just opened and asks the service.
 * - `unreachable`: the service did not answer. The page asks again.
 * - `signed-out`: `hasEnded` is true if there was a session in this tab.
 */
export type SessionState =
  | { readonly kind: 'unknown' | 'unreachable' }
  | { readonly kind: 'signed-out'; readonly hasEnded: boolean }
  | { readonly kind: 'signed-in'; readonly session: Session };

export const sessionState = signal<SessionState>({ kind: 'unknown' });
export const session = computed(() => (sessionState.value.kind === 'signed-in' ? sessionState.value.session : null));

/** Whether the user may do something. Reading it in a component makes the component follow changes. */
export function may(permission: Permission): boolean {
  return session.value?.permissions.includes(permission) ?? false;
}

/**
 * Makes a place for secrets that a person has not saved yet. They are only in memory, never in the address, the history
 * or a storage, and they are gone when the session ends: the next person at this machine must not see them.
 */
export function holdSecrets<Held>(): Signal<Held | null> {
  const held = signal<Held | null>(null);
  let owner: string | undefined;
  effect(() => {
    const userId = session.value?.user.id;
    // Also drops a secret that arrives after the end of the session.
    if (held.value !== null && (userId === undefined || userId !== owner)) held.value = null;
    owner = userId;
  });
  return held;
}

type TabMessage = 'signed-in' | 'signed-out';
/** All other tabs of this browser. Null: a browser that blocks the data of sites may refuse this, too. */
const otherTabs = attempt(() => new BroadcastChannel('widget-service-console'));

function tellOtherTabs(message: TabMessage): void {
  otherTabs?.postMessage(message);
}

const retryMs = 3_000;

/** Asks the service who is signed in, until it answers. */
export async function loadSession(): Promise<void> {
  try {
    enterSignedIn(await service.getSession());
  } catch (error) {
    if (error instanceof ProblemError && !error.isTemporary) return enterSignedOut();
    sessionState.value = { kind: 'unreachable' };
    setTimeout(() => void loadSession(), retryMs);
  }
}

export async function signIn(credentials: Schemas['Credentials']): Promise<void> {
  enterSignedIn(await service.signIn(credentials));
  tellOtherTabs('signed-in');
}

/** Changes the password. The service ends all sessions of the user, and starts a new one in this browser. */
export async function changePassword(body: Schemas['PasswordChange']): Promise<void> {
  enterSignedIn(await api.PUT('/api/v1/session/password', { body }));
  tellOtherTabs('signed-in');
}

export async function signOut(): Promise<void> {
  await service.signOut();
  enterSignedOut(false);
  tellOtherTabs('signed-out');
}

/** Ends all sessions of the user, also on other machines. */
export async function signOutEverywhere(): Promise<void> {
  await api.DELETE('/api/v1/sessions');
  enterSignedOut(false);
  tellOtherTabs('signed-out');
}

function enterSignedIn(started: Session): void {
  sessionState.value = { kind: 'signed-in', session: started };
}

function enterSignedOut(hasEnded = sessionState.value.kind === 'signed-in'): void {
  if (sessionState.value.kind !== 'signed-out') sessionState.value = { kind: 'signed-out', hasEnded };
}

/** Keeps all tabs of this browser alike. */
export function followSession(): void {
  sessionEnds.addEventListener('signed-out', () => enterSignedOut());
  otherTabs?.addEventListener('message', ({ data }: MessageEvent<TabMessage>) => {
    if (data === 'signed-out') enterSignedOut();
    // The other tab may have signed in as somebody else.
    else void loadSession();
  });
}

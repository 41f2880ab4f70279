import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { Button } from '../../parts/button.tsx';
import { TextField } from '../../parts/fields.tsx';
import { ProblemNotice } from '../../parts/messages.tsx';
import { isUuid, lookUp } from '../../parts/text.ts';
import { query } from '../../router/router.tsx';
import { consoleRoot, serviceRoot, signInWays } from '../../service/service.ts';
import { useAction } from '../../service/use-service.ts';
import { signIn } from '../../session/session.ts';

/** Shown at every address while nobody is signed in, so that people go on where they were. */
export function SignInPage({ hasEnded }: { readonly hasEnded: boolean }) {
  useEffect(() => {
    document.title = 'Sign in · Widget Service';
  }, []);
  return (
    <main class="sign-in">
      <h1>Widget Service</h1>
      <p class={hasEnded ? 'notice' : 'muted'} role="status">
        {hasEnded
          ? 'Your session has expired. Sign in to continue where you left off.'
          : 'The console for operators: widgets, inbound hooks and event streams, live.'}
      </p>
      <IdentityFailure />
      {signInWays.byPassword ? <PasswordForm /> : null}
      {signInWays.byIdentity ? <IdentityLink /> : null}
    </main>
  );
}

function PasswordForm() {
  const form = useRef<HTMLFormElement>(null);
  useEffect(() => form.current?.querySelector('input')?.focus(), []);
  const email = useSignal('');
  const password = useSignal('');
  const isShown = useSignal(false);
  const attempt = useAction(async () => {
    try {
      await signIn({ email: email.value, password: password.value });
    } finally {
      password.value = '';
    }
  });
  return (
    <form
      ref={form}
      // If the browser submits the form itself, `post` keeps the password out of the address.
      method="post"
      onSubmit={(event) => {
        event.preventDefault();
        void attempt.run();
      }}
    >
      <TextField
        of={email}
        label="E-mail"
        name="email"
        inputMode="email"
        autoComplete="username"
        autoCapitalize="none"
        required
      />
      <TextField
        of={password}
        label="Password"
        name="password"
        {...(isShown.value ? {} : { type: 'password' as const })}
        autoComplete="current-password"
        required
      >
        <Button kind="quiet" aria-pressed={isShown.value} onClick={() => (isShown.value = !isShown.value)}>
          {isShown.value ? 'Hide' : 'Show'}
        </Button>
      </TextField>
      <ProblemNotice error={attempt.error.value} />
      <Button kind="primary" type="submit" isBusy={attempt.isRunning.value}>
        Sign in
      </Button>
      <p class="hint">First start? The first admin's e-mail and password were printed in the terminal.</p>
    </form>
  );
}

/** Why the identity provider led nobody in, by the reason that the service names. */
const failures: Readonly<Record<string, string>> = {
  'no-role': 'The identity provider gives you no role in this service. Ask its administrators for one.',
  'no-role-claim':
    'The identity provider does not say which role you have: its ID token lacks the claim. Ask the operator of this service; the log of the service names the claim.',
  'no-email': 'The identity provider names no valid e-mail address in its ID token, and a new user needs one.',
  'email-in-use':
    'Another user of this service has your e-mail address, and the identity provider does not say that the address is yours. Ask an admin of this service.',
  disabled: 'Your user is disabled. Ask an admin of this service.',
  'last-admin': 'Your new role would leave the service without an admin. Another admin has to sign in first.',
  'sign-in-refused': 'The identity provider did not sign you in.',
  'sign-in-not-verified':
    'This sign-in was over, or did not belong to this browser: it counts once and for ten minutes. Start it again.',
  'rate-limited': 'There were too many sign-ins from your address. Try again in a minute.',
  'identity-provider-unavailable':
    'The identity provider does not answer as it should. Try again, or tell the operator.',
  'invalid-request': 'The address of the sign-in was malformed or too long. Start it again from here.',
  'not-found': 'This service has no identity provider.',
};

/** What the service writes into the address when a sign-in through the identity provider fails. */
const failureParameters = ['signInFailed', 'failedRequest'] as const;

/** Why a sign-in failed. It shows texts of the console only, because anybody can write an address. */
function IdentityFailure() {
  const [reason, requestId] = failureParameters.map((name) => query.value.get(name));
  if (reason === null || reason === undefined) return null;
  return (
    <div class="notice notice-error" role="alert">
      <p>
        <strong>You are not signed in.</strong>{' '}
        {lookUp(failures, reason) ?? 'The service could not finish the sign-in. Try again shortly.'}
      </p>
      {isUuid(requestId ?? '') ? <p class="muted small selectable">Request {requestId}</p> : null}
    </div>
  );
}

/** The service accepts no longer path than this. */
const returnToMax = 500;

/** The identity provider sends the browser back to this address. */
function IdentityLink() {
  const start = new URL('api/v1/session/oidc', serviceRoot);
  const shown = new URLSearchParams(query.value);
  for (const name of failureParameters) shown.delete(name);
  const here = shown.size === 0 ? location.pathname : `${location.pathname}?${shown}`;
  start.searchParams.set('returnTo', here.length > returnToMax ? consoleRoot.pathname : here);
  return (
    <>
      {signInWays.byPassword ? <p class="muted">or</p> : null}
      <a class="button button-plain" href={start.href}>
        Sign in through the identity provider
      </a>
    </>
  );
}

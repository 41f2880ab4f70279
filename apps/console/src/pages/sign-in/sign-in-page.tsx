import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { Button } from '../../parts/button.tsx';
import { Field } from '../../parts/fields.tsx';
import { isUuid } from '../../parts/is-uuid.ts';
import { lookUp } from '../../parts/look-up.ts';
import { ProblemNotice } from '../../parts/messages.tsx';
import { query } from '../../router/address.ts';
import { consoleRoot, serviceRoot, signInWays } from '../../service/page-settings.ts';
import { useAction } from '../../service/use-action.ts';
import { signIn } from '../../session/session.ts';
import { texts } from '../../texts/texts.ts';

/** Shown at every address while nobody is signed in, so that people go on where they were. */
export function SignInPage({ hasEnded }: { readonly hasEnded: boolean }) {
  useEffect(() => {
    document.title = `${texts.signIn.title} · ${texts.general.productName}`;
  }, []);
  return (
    <main class="sign-in">
      <h1>{texts.general.productName}</h1>
      <p class={hasEnded ? 'notice' : 'muted'} role="status">
        {hasEnded ? texts.signIn.ended : texts.signIn.intro}
      </p>
      <IdentityFailure />
      {signInWays.byPassword ? <PasswordForm /> : null}
      {signInWays.byIdentity ? <IdentityLink /> : null}
    </main>
  );
}

function PasswordForm() {
  const emailInput = useRef<HTMLInputElement>(null);
  useEffect(() => emailInput.current?.focus(), []);
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
      // If the browser submits the form itself, `post` keeps the password out of the address.
      method="post"
      onSubmit={(event) => {
        event.preventDefault();
        void attempt.run();
      }}
    >
      <Field label={texts.signIn.email}>
        {({ id }) => (
          <input
            id={id}
            class="input"
            name="email"
            inputMode="email"
            autoComplete="username"
            autoCapitalize="none"
            spellcheck={false}
            required
            ref={emailInput}
            value={email.value}
            onInput={({ currentTarget }) => (email.value = currentTarget.value)}
          />
        )}
      </Field>
      <Field label={texts.signIn.password}>
        {({ id }) => (
          <div class="input-with-button">
            <input
              {...(isShown.value ? { type: 'text' as const } : { type: 'password' as const })}
              id={id}
              class="input"
              name="password"
              autoComplete="current-password"
              required
              value={password.value}
              onInput={({ currentTarget }) => (password.value = currentTarget.value)}
            />
            <Button kind="quiet" aria-pressed={isShown.value} onClick={() => (isShown.value = !isShown.value)}>
              {isShown.value ? texts.signIn.hidePassword : texts.signIn.showPassword}
            </Button>
          </div>
        )}
      </Field>
      <ProblemNotice error={attempt.error.value} />
      <Button kind="primary" type="submit" isBusy={attempt.isRunning.value}>
        {texts.signIn.submit}
      </Button>
      <p class="hint">{texts.signIn.firstAdmin}</p>
    </form>
  );
}

/** What the service writes into the address when a sign-in through the identity provider fails. */
const failureParameters = ['signInFailed', 'failedRequest'] as const;

/** Why a sign-in failed. It shows texts of the console only, because anybody can write an address. */
function IdentityFailure() {
  const { failures, otherFailure, failedTitle } = texts.signIn;
  const [reason, requestId] = failureParameters.map((name) => query.value.get(name));
  if (reason === null || reason === undefined) return null;
  return (
    <div class="notice notice-error" role="alert">
      <p>
        <strong>{failedTitle}</strong> {lookUp(failures, reason) ?? otherFailure}
      </p>
      {isUuid(requestId ?? '') ? (
        <p class="muted small selectable">{texts.general.requestId(requestId ?? '')}</p>
      ) : null}
    </div>
  );
}

/** The service accepts no longer one. */
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
      {signInWays.byPassword ? <p class="muted">{texts.signIn.or}</p> : null}
      <a class="button button-plain" href={start.href}>
        {texts.signIn.byIdentity}
      </a>
    </>
  );
}

import { useSignal } from '@preact/signals';
import { Badge } from '../../parts/badges.tsx';
import { Button } from '../../parts/button.tsx';
import { ActionForm, ask } from '../../parts/dialog.tsx';
import { SelectField, TextField } from '../../parts/fields.tsx';
import { actionsColumn, RowButton, Table } from '../../parts/lists.tsx';
import { ProblemNotice, ReadState, showToast } from '../../parts/messages.tsx';
import { PageHeader } from '../../parts/page.tsx';
import { theme, themeNames } from '../../parts/preferences.ts';
import { Time } from '../../parts/time.tsx';
import { api, type Schemas } from '../../service/service.ts';
import { useAction, useResource } from '../../service/use-service.ts';
import { changePassword, loadSession, session, signOut, signOutEverywhere } from '../../session/session.ts';

type OwnSession = Schemas['ActiveSession'];

/** The own sessions, and the own password. */
export function AccountPage() {
  const leave = useAction(signOut);
  const user = session.value?.user;
  return (
    <>
      <PageHeader title="Your account" aside={<span class="muted">{user?.email}</span>}>
        <Button onClick={() => void leave.run()} isBusy={leave.isRunning.value}>
          Sign out
        </Button>
        <Button
          kind="danger"
          onClick={() =>
            ask({
              title: 'Sign out everywhere',
              text: 'All your sessions end now, on every device, including this one.',
              label: 'Sign out everywhere',
              isDangerous: true,
              onSubmit: signOutEverywhere,
            })
          }
        >
          Sign out everywhere
        </Button>
      </PageHeader>
      <ProblemNotice error={leave.error.value} />
      <OwnSessions />
      <section class="section narrow">
        <SelectField of={theme} label="Theme" options={themeNames} />
      </section>
      {user?.identity === null ? (
        <section class="section">
          <h2>Change password</h2>
          <PasswordForm />
        </section>
      ) : null}
    </>
  );
}

function OwnSessions() {
  const list = useResource((signal) => api.GET('/api/v1/sessions', { signal }), [], { refreshMs: 15_000 });
  const end = async ({ id, current }: OwnSession) => {
    await api.DELETE('/api/v1/sessions/{id}', { params: { path: { id } } });
    await (current ? loadSession() : list.reload());
  };
  const askEnd = (own: OwnSession) =>
    ask({
      title: `End the session of ${own.device ?? 'unknown'}`,
      text: own.current
        ? 'This is the session you are using: you will be signed out here.'
        : 'That browser must sign in again.',
      label: 'End session',
      isDangerous: true,
      onSubmit: () => end(own),
    });
  return (
    <section class="section">
      <h2>Your sessions</h2>
      <ReadState read={list}>
        {({ items }) => (
          <Table
            label="Your sessions"
            rows={items}
            keyOf={({ id }) => id}
            columns={[
              {
                title: 'Device',
                cell: ({ device, current }) => (
                  <>
                    {device ?? 'unknown'} {current ? <Badge tone="good">This session</Badge> : null}
                  </>
                ),
              },
              { title: 'Address', cell: ({ address }) => address ?? 'unknown' },
              { title: 'Created', cell: ({ createdAt }) => <Time at={createdAt} /> },
              { title: 'Last used', cell: ({ lastUsedAt }) => <Time at={lastUsedAt} /> },
              actionsColumn((own: OwnSession) => (
                <RowButton
                  label="End session"
                  row={own.device ?? 'unknown'}
                  kind="danger"
                  onClick={() => askEnd(own)}
                />
              )),
            ]}
          />
        )}
      </ReadState>
    </section>
  );
}

/** Shown instead of every page until the user has replaced the password that an admin chose. */
export function MustChangePasswordPage() {
  return (
    <main class="sign-in">
      <h1>Change password</h1>
      <p class="notice">Choose your own password to continue.</p>
      <PasswordForm />
    </main>
  );
}

/** Changes the password of the signed-in user. */
function PasswordForm() {
  const currentPassword = useSignal('');
  const newPassword = useSignal('');
  const change = useAction(async () => {
    await changePassword({ currentPassword: currentPassword.value, newPassword: newPassword.value });
    currentPassword.value = '';
    newPassword.value = '';
    showToast('Password changed. Your other sessions have ended.');
  });
  return (
    <ActionForm
      class="narrow"
      action={change}
      end={
        <Button kind="primary" type="submit" isBusy={change.isRunning.value}>
          Change password
        </Button>
      }
    >
      {/* Password managers find the account by it. */}
      <input type="hidden" name="email" autoComplete="username" value={session.value?.user.email ?? ''} />
      <TextField
        of={currentPassword}
        label="Current password"
        pointer="/currentPassword"
        type="password"
        autoComplete="current-password"
        required
      />
      <TextField
        of={newPassword}
        label="New password"
        hint="12 to 128 characters. All your other sessions end."
        pointer="/newPassword"
        type="password"
        minLength={12}
        maxLength={128}
        autoComplete="new-password"
        required
      />
    </ActionForm>
  );
}

import { useSignal } from '@preact/signals';
import { Badge } from '../../parts/badges.tsx';
import { Button } from '../../parts/button.tsx';
import { ConfirmDialog } from '../../parts/dialog.tsx';
import { Field, Select } from '../../parts/fields.tsx';
import { ProblemNotice } from '../../parts/messages.tsx';
import { PageHeader } from '../../parts/page-header.tsx';
import { ReadState } from '../../parts/read-state.tsx';
import { actionsColumn, Table } from '../../parts/table.tsx';
import { Time } from '../../parts/time.tsx';
import { api, type Schemas } from '../../service/service.ts';
import { useAction } from '../../service/use-action.ts';
import { useResource } from '../../service/use-resource.ts';
import { loadSession, session, signOut, signOutEverywhere } from '../../session/session.ts';
import { theme, themeNames } from '../../shell/theme.ts';
import { PasswordForm } from './password-form.tsx';

type OwnSession = Schemas['ActiveSession'];

/** The own sessions, and the own password. */
export function AccountPage() {
  const isLeaving = useSignal(false);
  const leave = useAction(signOut);
  const user = session.value?.user;
  return (
    <>
      <PageHeader title="Your account" aside={<span class="muted">{user?.email}</span>}>
        <Button onClick={() => void leave.run()} isBusy={leave.isRunning.value}>
          Sign out
        </Button>
        <Button kind="danger" onClick={() => (isLeaving.value = true)}>
          Sign out everywhere
        </Button>
      </PageHeader>
      <ProblemNotice error={leave.error.value} />
      <OwnSessions />
      <section class="section narrow">
        <Field label="Theme">
          {({ id }) => (
            <Select id={id} options={themeNames} value={theme.value} onChange={(next) => (theme.value = next)} />
          )}
        </Field>
      </section>
      {user?.identity === null ? (
        <section class="section">
          <h2>Change password</h2>
          <PasswordForm />
        </section>
      ) : null}
      {isLeaving.value ? (
        <ConfirmDialog
          title="Sign out everywhere"
          text="All your sessions end now, on every device, including this one."
          label="Sign out everywhere"
          isDangerous
          onConfirm={signOutEverywhere}
          onClose={() => (isLeaving.value = false)}
        />
      ) : null}
    </>
  );
}

function OwnSessions() {
  const list = useResource((signal) => api.GET('/api/v1/sessions', { signal }), [], { refreshMs: 15_000 });
  /** The session that the dialog asks about, or null if it is closed. */
  const ending = useSignal<OwnSession | null>(null);
  const end = async (own: OwnSession | null) => {
    if (own === null) return;
    const { id, current } = own;
    await api.DELETE('/api/v1/sessions/{id}', { params: { path: { id } } });
    await (current ? loadSession() : list.reload());
  };
  return (
    <section class="section">
      <h2>Your sessions</h2>
      <ReadState read={list} />
      {list.data.value === null ? null : (
        <Table
          label="Your sessions"
          rows={list.data.value.items}
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
              <Button
                kind="danger"
                aria-label={`End session: ${own.device ?? 'unknown'}`}
                onClick={() => (ending.value = own)}
              >
                End session
              </Button>
            )),
          ]}
        />
      )}
      {ending.value === null ? null : (
        <ConfirmDialog
          title={`End the session of ${ending.value.device ?? 'unknown'}`}
          text={
            ending.value.current
              ? 'This is the session you are using: you will be signed out here.'
              : 'That browser must sign in again.'
          }
          label="End session"
          isDangerous
          onConfirm={() => end(ending.value)}
          onClose={() => (ending.value = null)}
        />
      )}
    </section>
  );
}

import { useSignal } from '@preact/signals';
import { Badge } from '../../parts/badges.tsx';
import { Button } from '../../parts/button.tsx';
import { ConfirmDialog } from '../../parts/dialog.tsx';
import { Field, Select } from '../../parts/fields.tsx';
import { ProblemNotice } from '../../parts/messages.tsx';
import { PageHeader } from '../../parts/page-header.tsx';
import { ReadState } from '../../parts/read-state.tsx';
import { actionsColumn, RowButton, Table } from '../../parts/table.tsx';
import { Time } from '../../parts/time.tsx';
import { api, type Schemas } from '../../service/service.ts';
import { useAction } from '../../service/use-action.ts';
import { useResource } from '../../service/use-resource.ts';
import { loadSession, session, signOut, signOutEverywhere } from '../../session/session.ts';
import { theme, themes } from '../../shell/theme.ts';
import { texts } from '../../texts/texts.ts';
import { PasswordForm } from './password-form.tsx';

type OwnSession = Schemas['ActiveSession'];

/** The own sessions, and the own password. */
export function AccountPage() {
  const { access, general } = texts;
  const isLeaving = useSignal(false);
  const leave = useAction(signOut);
  const user = session.value?.user;
  return (
    <>
      <PageHeader title={access.own} aside={<span class="muted">{user?.email}</span>}>
        <Button onClick={() => void leave.run()} isBusy={leave.isRunning.value}>
          {general.signOut}
        </Button>
        <Button kind="danger" onClick={() => (isLeaving.value = true)}>
          {general.signOutEverywhere}
        </Button>
      </PageHeader>
      <ProblemNotice error={leave.error.value} />
      <OwnSessions />
      <section class="section narrow">
        <Field label={general.theme}>
          {({ id }) => (
            <Select
              id={id}
              options={themes.map((name) => [name, general.themeNames[name]] as const)}
              value={theme.value}
              onChange={(next) => (theme.value = next)}
            />
          )}
        </Field>
      </section>
      {user?.identity === null ? (
        <section class="section">
          <h2>{access.changePassword}</h2>
          <PasswordForm />
        </section>
      ) : null}
      {isLeaving.value ? (
        <ConfirmDialog
          title={general.signOutEverywhere}
          text={access.signOutEverywhereText}
          label={general.signOutEverywhere}
          isDangerous
          onConfirm={signOutEverywhere}
          onClose={() => (isLeaving.value = false)}
        />
      ) : null}
    </>
  );
}

function OwnSessions() {
  const { access } = texts;
  const list = useResource((signal) => api.GET('/api/v1/sessions', { signal }), [], { refreshMs: 15_000 });
  /** The session that the dialog asks about, or null if it is closed. */
  const ending = useSignal<OwnSession | null>(null);
  const end = async ({ id, current }: OwnSession) => {
    await api.DELETE('/api/v1/sessions/{id}', { params: { path: { id } } });
    await (current ? loadSession() : list.reload());
  };
  return (
    <section class="section">
      <h2>{access.sessions}</h2>
      <ReadState read={list} />
      {list.data.value === null ? null : (
        <Table
          label={access.sessions}
          rows={list.data.value.items}
          keyOf={({ id }) => id}
          columns={[
            {
              title: access.device,
              cell: ({ device, current }) => (
                <>
                  {device ?? access.unknown} {current ? <Badge tone="good">{access.current}</Badge> : null}
                </>
              ),
            },
            { title: access.address, cell: ({ address }) => address ?? access.unknown },
            { title: access.createdAt, cell: ({ createdAt }) => <Time at={createdAt} /> },
            { title: access.lastUsedAt, cell: ({ lastUsedAt }) => <Time at={lastUsedAt} /> },
            actionsColumn((own: OwnSession) => (
              <RowButton
                label={access.end}
                row={own.device ?? access.unknown}
                kind="danger"
                onClick={() => (ending.value = own)}
              />
            )),
          ]}
        />
      )}
      {ending.value === null ? null : (
        <EndSession own={ending.value} onEnd={end} onClose={() => (ending.value = null)} />
      )}
    </section>
  );
}

interface EndSessionProperties {
  readonly own: OwnSession;
  readonly onEnd: (own: OwnSession) => Promise<void>;
  readonly onClose: () => void;
}

/** Asks before it ends a session. */
function EndSession({ own, onEnd, onClose }: EndSessionProperties) {
  const { access } = texts;
  return (
    <ConfirmDialog
      title={access.endTitle(own.device ?? access.unknown)}
      text={own.current ? access.endCurrentText : access.endText}
      label={access.end}
      isDangerous
      onConfirm={() => onEnd(own)}
      onClose={onClose}
    />
  );
}

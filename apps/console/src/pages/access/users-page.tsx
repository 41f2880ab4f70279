import { useSignal } from '@preact/signals';
import { Badge } from '../../parts/badges.tsx';
import { Button } from '../../parts/button.tsx';
import { ConfirmDialog, FormDialog } from '../../parts/dialog.tsx';
import { Field, Select, TextField } from '../../parts/fields.tsx';
import { ProblemNotice, showToast } from '../../parts/messages.tsx';
import { PageHeader } from '../../parts/page-header.tsx';
import { PagedList, usePages } from '../../parts/paged-list.tsx';
import { actionsColumn, type Column, RowButton, Table } from '../../parts/table.tsx';
import { Time } from '../../parts/time.tsx';
import { useDraft } from '../../parts/use-draft.ts';
import { api, type Schemas } from '../../service/service.ts';
import { useAction } from '../../service/use-action.ts';
import { session } from '../../session/session.ts';
import { texts } from '../../texts/texts.ts';

type User = Schemas['User'];
type Asked = { readonly what: 'disable' | 'end-sessions'; readonly user: User } | null;

const roles = (['viewer', 'editor', 'admin'] as const).map((role) => [role, texts.access.roles[role]] as const);

/** All users, for admins. */
export function UsersPage() {
  const { access } = texts;
  const isCreating = useSignal(false);
  const asked = useSignal<Asked>(null);
  const list = usePages(
    ({ page }, signal) => api.GET('/api/v1/users', { params: { query: { page, pageSize: 50 } }, signal }),
    [],
  );
  const change = useAction(async (user: User, body: Schemas['UserChanges']) => {
    await api.PATCH('/api/v1/users/{id}', { params: { path: { id: user.id } }, body });
    showToast(access.changedUser(user.email));
    await list.reload();
  });
  const columns = listColumns(
    (next) => (asked.value = next),
    (user, body) => void change.run(user, body),
  );
  return (
    <>
      <PageHeader title={access.users}>
        <Button kind="primary" data-shortcut="c" onClick={() => (isCreating.value = true)}>
          {access.createUser}
        </Button>
      </PageHeader>
      <PagedList list={list} error={change.error.value}>
        {(users) => <Table label={access.users} rows={users} keyOf={({ id }) => id} columns={columns} />}
      </PagedList>
      {isCreating.value ? <NewUserDialog onCreated={list.reload} onClose={() => (isCreating.value = false)} /> : null}
      {asked.value === null ? null : (
        <UserQuestion asked={asked.value} onDone={list.reload} onClose={() => (asked.value = null)} />
      )}
    </>
  );
}

function listColumns(
  ask: (asked: Asked) => void,
  change: (user: User, body: Schemas['UserChanges']) => void,
): Column<User>[] {
  const { access } = texts;
  const isOwn = ({ id }: User) => id === session.value?.user.id;
  return [
    { title: access.email, cell: ({ email }) => email },
    { title: access.name, cell: ({ name }) => name ?? '–' },
    {
      title: access.role,
      cell: (user) => (
        <Select
          isShort
          label={`${access.role}: ${user.email}`}
          options={roles}
          value={user.role}
          disabled={isOwn(user) || user.identity !== null}
          onChange={(role) => change(user, { role })}
        />
      ),
    },
    {
      title: access.state,
      cell: ({ disabled }) => (
        <Badge tone={disabled ? 'quiet' : 'good'}>{disabled ? access.disabled : access.active}</Badge>
      ),
    },
    { title: access.lastSignInAt, cell: ({ lastSignInAt }) => <Time at={lastSignInAt} /> },
    actionsColumn((user) =>
      isOwn(user) ? null : (
        <>
          <Unlock user={user} />
          <RowButton label={access.endSessions} row={user.email} onClick={() => ask({ what: 'end-sessions', user })} />
          {user.disabled ? (
            <RowButton label={access.enable} row={user.email} onClick={() => change(user, { disabled: false })} />
          ) : (
            <RowButton
              label={access.disable}
              row={user.email}
              kind="danger"
              onClick={() => ask({ what: 'disable', user })}
            />
          )}
        </>
      ),
    ),
  ];
}

/** Forgets failed sign-ins, so that the user may try again at once. */
function Unlock({ user }: { readonly user: User }) {
  const { access } = texts;
  const unlock = useAction(async () => {
    await api.POST('/api/v1/users/{id}/unlock', { params: { path: { id: user.id } } });
    showToast(access.unlocked(user.email));
  });
  return (
    <>
      <RowButton
        label={access.unlock}
        row={user.email}
        isBusy={unlock.isRunning.value}
        onClick={() => void unlock.run()}
      />
      <ProblemNotice error={unlock.error.value} />
    </>
  );
}

interface UserQuestionProperties {
  readonly asked: NonNullable<Asked>;
  readonly onDone: () => Promise<unknown>;
  readonly onClose: () => void;
}

function UserQuestion({ asked: { what, user }, onDone, onClose }: UserQuestionProperties) {
  const { access } = texts;
  const path = { id: user.id };
  const disable = async () => {
    await api.PATCH('/api/v1/users/{id}', { params: { path }, body: { disabled: true } });
    showToast(access.changedUser(user.email));
    await onDone();
  };
  const endSessions = async () => {
    await api.DELETE('/api/v1/users/{id}/sessions', { params: { path } });
    showToast(access.sessionsEnded(user.email));
  };
  return what === 'disable' ? (
    <ConfirmDialog
      title={access.disableTitle(user.email)}
      text={access.disableText}
      label={access.disable}
      isDangerous
      onConfirm={disable}
      onClose={onClose}
    />
  ) : (
    <ConfirmDialog
      title={access.endSessionsTitle(user.email)}
      text={access.endSessionsText}
      label={access.endSessions}
      isDangerous
      onConfirm={endSessions}
      onClose={onClose}
    />
  );
}

const emptyUser: { email: string; name: string; role: User['role'] } = { email: '', name: '', role: 'viewer' };

interface NewUserDialogProperties {
  readonly onCreated: () => Promise<unknown>;
  readonly onClose: () => void;
}

/** The form for a new user. The draft does not hold the password. */
function NewUserDialog({ onCreated, onClose }: NewUserDialogProperties) {
  const { access, grants } = texts;
  const { values, clear } = useDraft('new-user', emptyUser);
  const password = useSignal('');
  const change = (changes: Partial<typeof emptyUser>) => (values.value = { ...values.value, ...changes });
  const create = async () => {
    const { name, ...others } = values.value;
    await api.POST('/api/v1/users', { body: { ...others, name: name === '' ? null : name, password: password.value } });
    clear();
    onClose();
    await onCreated();
  };
  return (
    <FormDialog title={access.createUser} submitLabel={grants.create} onSubmit={create} onClose={onClose}>
      <TextField
        label={access.email}
        pointer="/email"
        type="email"
        autoComplete="off"
        required
        value={values.value.email}
        onInput={(email) => change({ email })}
      />
      <TextField
        label={access.name}
        pointer="/name"
        autoComplete="off"
        value={values.value.name}
        onInput={(name) => change({ name })}
      />
      <Field label={access.role}>
        {({ id }) => (
          <Select id={id} isShort options={roles} value={values.value.role} onChange={(role) => change({ role })} />
        )}
      </Field>
      <TextField
        label={access.password}
        hint={access.passwordHint}
        pointer="/password"
        type="password"
        minLength={12}
        maxLength={128}
        autoComplete="new-password"
        required
        value={password.value}
        onInput={(text) => (password.value = text)}
      />
    </FormDialog>
  );
}

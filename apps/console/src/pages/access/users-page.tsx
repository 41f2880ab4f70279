import { useSignal } from '@preact/signals';
import { Ban, Copy, LogOut, UserCheck } from 'lucide';
import { ActionMenu } from '../../parts/action-menu.tsx';
import { Badge } from '../../parts/badges.tsx';
import { Button, CopyButton } from '../../parts/button.tsx';
import { ask, Dialog, FormDialog, showDialog } from '../../parts/dialog.tsx';
import { Code } from '../../parts/facts.tsx';
import { Field, Select, TextField } from '../../parts/fields.tsx';
import { actionsColumn, PagedList, Table, usePages } from '../../parts/lists.tsx';
import { copyId, showToast } from '../../parts/messages.tsx';
import { PageHeader } from '../../parts/page.tsx';
import { Time } from '../../parts/time.tsx';
import { api, consoleRoot, type Schemas } from '../../service/service.ts';
import { readServiceMs } from '../../service/service-clock.ts';
import { useAction } from '../../service/use-service.ts';
import { session } from '../../session/session.ts';
import { generatePassword, roleNames, roles, toPersonName } from './describe-user.ts';

type User = Schemas['User'];

/** All users, for admins. */
export function UsersPage() {
  const list = usePages(
    ({ page }, signal) => api.GET('/api/v1/users', { params: { query: { page, pageSize: 50 } }, signal }),
    [],
  );
  const action = useAction((act: () => Promise<unknown>) => act());
  const invite = (invitation: Invitation) => {
    void list.reload();
    showDialog((close) => <InvitationDialog invitation={invitation} onClose={close} />);
  };
  const create = () => showDialog((close) => <NewUserDialog onCreated={invite} onClose={close} />);
  const on: UserActions = {
    run: (act) => void action.run(act),
    reload: list.reload,
  };
  return (
    <>
      <PageHeader title="Users">
        <Button kind="primary" data-creates onClick={create}>
          Create user
        </Button>
      </PageHeader>
      <PagedList list={list} error={action.error.value}>
        {(users) => <UserTable users={users} on={on} />}
      </PagedList>
    </>
  );
}

/** How the page does something to a user. */
interface UserActions {
  /** Runs it, and shows its failure on the page. */
  readonly run: (act: () => Promise<unknown>) => void;
  /** Reads the users again. */
  readonly reload: () => Promise<unknown>;
}

async function change({ id }: User, changes: Schemas['UserChanges'], { reload }: UserActions): Promise<void> {
  await api.PATCH('/api/v1/users/{id}', { params: { path: { id } }, body: changes });
  await reload();
}

async function changeRole(user: User, role: User['role'], on: UserActions): Promise<void> {
  await change(user, { role }, on);
  showToast(`${toPersonName(user)} is now ${roleNames[role]}.`, {
    label: 'Undo',
    onClick: () => on.run(() => changeRole({ ...user, role }, user.role, on)),
  });
}

function chooseRole(user: User, role: User['role'], on: UserActions): void {
  const act = () => changeRole(user, role, on);
  const question = {
    title: `Make ${toPersonName(user)} an admin`,
    text: 'An admin manages users, integrations, subscriptions and provision tokens, and reads the audit log.',
    label: 'Make admin',
    isDangerous: false,
    onConfirm: act,
  };
  if (role === 'admin') ask(question);
  else on.run(act);
}

function UserTable({ users, on }: { readonly users: readonly User[]; readonly on: UserActions }) {
  const isOwn = ({ id }: User) => id === session.value?.user.id;
  return (
    <Table
      label="Users"
      rows={users}
      keyOf={({ id }) => id}
      columns={[
        { title: 'User', cell: NameAndEmail },
        {
          title: 'Role',
          cell: (user) => (
            <Select
              isShort
              label={`Role: ${user.email}`}
              options={roles}
              value={user.role}
              disabled={isOwn(user) || user.identity !== null}
              onChange={(role) => chooseRole(user, role, on)}
            />
          ),
        },
        { title: 'Last sign-in', cell: LastSignIn },
        actionsColumn<User>((user) => (isOwn(user) ? null : <UserMenu user={user} on={on} />)),
      ]}
    />
  );
}

function NameAndEmail({ name, email, disabled }: User) {
  return (
    <span class="person">
      {name === null ? null : <bdi>{name}</bdi>}
      <span class={name === null ? undefined : 'muted'}>{email}</span>
      {disabled ? <Badge tone="quiet">Disabled</Badge> : null}
    </span>
  );
}

/** An admin has set the password of a user with `passwordExpiresAt`. */
function LastSignIn({ lastSignInAt, passwordExpiresAt: end }: User) {
  return (
    <span class="person">
      <Time at={lastSignInAt} />
      {end === undefined ? null : (
        <span class="muted">
          One-time password {Date.parse(end) <= readServiceMs() ? 'ended' : 'ends'} <Time at={end} />
        </span>
      )}
    </span>
  );
}

/** What an admin can do to another user. */
function UserMenu({ user, on }: { readonly user: User; readonly on: UserActions }) {
  const name = toPersonName(user);
  const params = { path: { id: user.id } };
  const setDisabled = async (disabled: boolean) => {
    await change(user, { disabled }, on);
    showToast(`${name} was ${disabled ? 'disabled' : 'enabled'}.`);
  };
  const askEndSessions = () =>
    ask({
      title: `End all sessions of ${name}`,
      text: 'They must sign in again, on every device.',
      label: 'End sessions',
      isDangerous: true,
      onConfirm: async () => {
        await api.DELETE('/api/v1/users/{id}/sessions', { params });
        showToast(`All sessions of ${name} were ended.`);
      },
    });
  const askDisable = () =>
    ask({
      title: `Disable ${name}`,
      text: 'All their sessions end now, and they can no longer sign in.',
      label: 'Disable',
      isDangerous: true,
      onConfirm: () => setDisabled(true),
    });
  const enable = { label: 'Enable', icon: UserCheck, onChoose: () => on.run(() => setDisabled(false)) };
  const disable = { label: 'Disable…', icon: Ban, isDangerous: true, onChoose: askDisable };
  return (
    <ActionMenu
      label={`Actions of ${name}`}
      entries={[
        ...(user.disabled ? [enable] : []),
        { label: 'Copy id', icon: Copy, onChoose: () => void copyId(user.id) },
        { label: 'End sessions…', icon: LogOut, isDangerous: true, onChoose: askEndSessions },
        ...(user.disabled ? [] : [disable]),
      ]}
    />
  );
}

/** A new user, with the password that an admin chose. */
export interface Invitation {
  readonly user: Schemas['User'];
  readonly password: string;
}

interface NewUserDialogProperties {
  readonly onCreated: (invitation: Invitation) => void;
  readonly onClose: () => void;
}

/** The form for a new user. */
function NewUserDialog({ onCreated, onClose }: NewUserDialogProperties) {
  const email = useSignal('');
  const name = useSignal('');
  const role = useSignal<Schemas['User']['role']>('viewer');
  /** It is shown again when the user is created, and the user replaces it. */
  const password = useSignal('');
  const create = async () => {
    const chosen = { email: email.value, role: role.value, password: password.value };
    const user = await api.POST('/api/v1/users', { body: { ...chosen, name: name.value === '' ? null : name.value } });
    onClose();
    onCreated({ user, password: chosen.password });
  };
  return (
    <FormDialog title="Create user" submitLabel="Create" onSubmit={create} onClose={onClose}>
      <TextField
        label="E-mail"
        pointer="/email"
        type="email"
        autoComplete="off"
        required
        value={email.value}
        onInput={(text) => (email.value = text)}
      />
      <TextField
        label="Name"
        pointer="/name"
        autoComplete="off"
        value={name.value}
        onInput={(text) => (name.value = text)}
      />
      <Field label="Role">
        {({ id }) => (
          <Select id={id} isShort options={roles} value={role.value} onChange={(next) => (role.value = next)} />
        )}
      </Field>
      <Field
        label="One-time password"
        hint="12 to 128 characters, for 7 days. They'll choose their own at first sign-in."
        pointer="/password"
      >
        {({ id, hintId, isWrong }) => (
          <span class="input-with-button">
            <input
              id={id}
              class="input"
              minLength={12}
              maxLength={128}
              autoComplete="off"
              spellcheck={false}
              required
              aria-describedby={hintId}
              aria-invalid={isWrong}
              value={password.value}
              onInput={({ currentTarget }) => (password.value = currentTarget.value)}
            />
            <Button onClick={() => (password.value = generatePassword())}>Generate</Button>
          </span>
        )}
      </Field>
    </FormDialog>
  );
}

interface InvitationDialogProperties {
  readonly invitation: Invitation;
  readonly onClose: () => void;
}

/** Shows once what the new user needs to sign in. Only its button closes it: the password is nowhere else. */
function InvitationDialog({ invitation: { user, password }, onClose }: InvitationDialogProperties) {
  const name = toPersonName(user);
  const message = `You have an account in the Widget Service console.

Address: ${consoleRoot.href}
E-mail: ${user.email}
One-time password: ${password}

Sign in within 7 days. You will then choose your own password.`;
  return (
    <Dialog title={`${name} can sign in now`} onClose={onClose} canDismiss={false}>
      <p class="notice notice-warning">
        Send this message now. The service keeps only a hash of the password and can't show it again.
      </p>
      <Code>{message}</Code>
      <div class="dialog-actions">
        <CopyButton text={message} label={`Copy message for ${name}`} />
        <Button kind="primary" onClick={onClose}>
          Done
        </Button>
      </div>
    </Dialog>
  );
}

import { signal } from '@preact/signals';
import { Ban, Copy, LogOut, UserCheck } from 'lucide';
import { ActionMenu } from '../../parts/action-menu.tsx';
import { Badge } from '../../parts/badges.tsx';
import { Button, CopyButton } from '../../parts/button.tsx';
import { ask, Dialog, showDialog } from '../../parts/dialog.tsx';
import { Code } from '../../parts/facts.tsx';
import { Select, SelectField, TextField } from '../../parts/fields.tsx';
import { actionsColumn, type Column, PagedTable, usePages } from '../../parts/lists.tsx';
import { copyId, showToast } from '../../parts/messages.tsx';
import { PageHeader } from '../../parts/page.tsx';
import { generatePassword } from '../../parts/text.ts';
import { Time } from '../../parts/time.tsx';
import { api, consoleRoot, type Schemas } from '../../service/service.ts';
import { readServiceMs } from '../../service/service-clock.ts';
import { useAction } from '../../service/use-service.ts';
import { session } from '../../session/session.ts';

type User = Schemas['User'];

const roleNames = { viewer: 'Viewer', editor: 'Editor', admin: 'Admin' } satisfies Record<User['role'], string>;
/** From the least to the most powerful. */
const roles = Object.entries(roleNames) as [User['role'], string][];

const toPersonName = ({ name, email }: User): string => name ?? email;

/** All users, for admins. */
export function UsersPage() {
  const list = usePages(
    ({ page }, signal) => api.GET('/api/v1/users', { params: { query: { page, pageSize: 50 } }, signal }),
    [],
  );
  const action = useAction((act: () => Promise<unknown>) => act());
  const change: ChangeUser = async ({ id }, changes) => {
    await api.PATCH('/api/v1/users/{id}', { params: { path: { id } }, body: changes });
    await list.reload();
  };
  const changeRole = async (user: User, role: User['role']): Promise<void> => {
    await change(user, { role });
    showToast(`${toPersonName(user)} is now ${roleNames[role]}.`, {
      label: 'Undo',
      onClick: () => void action.run(() => changeRole({ ...user, role }, user.role)),
    });
  };
  const chooseRole = (user: User, role: User['role']) => {
    const onSubmit = () => changeRole(user, role);
    if (role !== 'admin') return void action.run(onSubmit);
    ask({
      title: `Make ${toPersonName(user)} an admin`,
      text: 'An admin manages users, integrations, subscriptions and provision tokens, and reads the audit log.',
      label: 'Make admin',
      onSubmit,
    });
  };
  const isOwn = ({ id }: User) => id === session.value?.user.id;
  const columns: readonly Column<User>[] = [
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
          onChange={(role) => chooseRole(user, role)}
        />
      ),
    },
    { title: 'Last sign-in', cell: LastSignIn },
    actionsColumn((user) =>
      isOwn(user) ? null : <UserMenu user={user} change={change} run={(act) => void action.run(act)} />,
    ),
  ];
  return (
    <>
      <PageHeader title="Users">
        <Button kind="primary" data-creates onClick={() => createUser(list.reload)}>
          Create user
        </Button>
      </PageHeader>
      <PagedTable list={list} error={action.error.value} label="Users" keyOf={({ id }) => id} columns={columns} />
    </>
  );
}

/** Changes a user, and reads the list again. */
type ChangeUser = (user: User, changes: Schemas['UserChanges']) => Promise<void>;

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

interface UserMenuProperties {
  readonly user: User;
  readonly change: ChangeUser;
  /** Runs something, and shows its failure on the page. */
  readonly run: (act: () => Promise<unknown>) => void;
}

/** What an admin can do to another user. */
function UserMenu({ user, change, run }: UserMenuProperties) {
  const name = toPersonName(user);
  const params = { path: { id: user.id } };
  const setDisabled = async (disabled: boolean) => {
    await change(user, { disabled });
    showToast(`${name} was ${disabled ? 'disabled' : 'enabled'}.`);
  };
  const askEndSessions = () =>
    ask({
      title: `End all sessions of ${name}`,
      text: 'They must sign in again, on every device.',
      label: 'End sessions',
      isDangerous: true,
      onSubmit: async () => {
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
      onSubmit: () => setDisabled(true),
    });
  const enable = { label: 'Enable', icon: UserCheck, onChoose: () => run(() => setDisabled(false)) };
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

/** Opens the form for a new user. The password is shown again when the user is created, and the user replaces it. */
function createUser(onCreated: () => Promise<unknown>): void {
  const [email, name, password] = [signal(''), signal(''), signal('')];
  const role = signal<User['role']>('viewer');
  ask({
    title: 'Create user',
    label: 'Create',
    Fields: () => (
      <>
        <TextField of={email} label="E-mail" pointer="/email" type="email" autoComplete="off" required />
        <TextField of={name} label="Name" pointer="/name" autoComplete="off" />
        <SelectField of={role} label="Role" options={roles} />
        <TextField
          of={password}
          label="One-time password"
          hint="12 to 128 characters, for 7 days. They'll choose their own at first sign-in."
          pointer="/password"
          minLength={12}
          maxLength={128}
          autoComplete="off"
          required
        >
          <Button onClick={() => (password.value = generatePassword())}>Generate</Button>
        </TextField>
      </>
    ),
    onSubmit: async () => {
      const chosen = { email: email.value, role: role.value, password: password.value };
      const body = { ...chosen, name: name.value === '' ? null : name.value };
      const user = await api.POST('/api/v1/users', { body });
      void onCreated();
      showInvitation(user, chosen.password);
    },
  });
}

/** Shows once what the new user needs to sign in. Only its button closes it: the password is nowhere else. */
function showInvitation(user: User, password: string): void {
  const name = toPersonName(user);
  const message = `You have an account in the Widget Service console.

Address: ${consoleRoot.href}
E-mail: ${user.email}
One-time password: ${password}

Sign in within 7 days. You will then choose your own password.`;
  const isCopied = { current: false };
  showDialog((close) => (
    <Dialog title={`${name} can sign in now`} onClose={close} isCopied={isCopied}>
      <p class="notice notice-warning">
        Send this message now. The service keeps only a hash of the password and can't show it again.
      </p>
      <Code>{message}</Code>
      <div class="dialog-actions">
        <CopyButton text={message} label={`Copy message for ${name}`} onCopied={() => (isCopied.current = true)} />
        <Button kind="primary" onClick={close}>
          Done
        </Button>
      </div>
    </Dialog>
  ));
}

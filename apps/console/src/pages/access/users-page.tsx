import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { Badge } from '../../parts/badges.tsx';
import { Button } from '../../parts/button.tsx';
import { Select } from '../../parts/fields.tsx';
import { PageHeader } from '../../parts/page-header.tsx';
import { PagedList, usePages } from '../../parts/paged-list.tsx';
import { actionsColumn, type Column, Table } from '../../parts/table.tsx';
import { Time } from '../../parts/time.tsx';
import { api, type Schemas } from '../../service/service.ts';
import { readServiceMs } from '../../service/service-clock.ts';
import { useAction } from '../../service/use-action.ts';
import { session } from '../../session/session.ts';
import { texts } from '../../texts/texts.ts';
import { type Invitation, InvitationDialog } from './invitation-dialog.tsx';
import { NewUserDialog } from './new-user-dialog.tsx';
import { roleOptions } from './role-options.ts';
import { makeUserActions } from './user-actions.ts';
import { UserMenu } from './user-menu.tsx';
import { type UserAction, UserQuestion } from './user-question.tsx';

type User = Schemas['User'];

interface Asked {
  readonly action: UserAction;
  readonly user: User;
}

/** All users, for admins. */
export function UsersPage() {
  const { access } = texts;
  const isCreating = useSignal(false);
  const invitation = useSignal<Invitation | null>(null);
  const asked = useSignal<Asked | null>(null);
  const list = usePages(
    ({ page }, signal) => api.GET('/api/v1/users', { params: { query: { page, pageSize: 50 } }, signal }),
    [],
  );
  const action = useAction((act: () => Promise<unknown>) => act());
  const run = (act: () => Promise<unknown>) => void action.run(act);
  const actions = makeUserActions({ reload: list.reload, run });
  const confirmed = {
    'make-admin': (user: User) => actions.changeRole(user, 'admin'),
    'end-sessions': actions.endSessions,
    disable: (user: User) => actions.setDisabled(user, true),
  } satisfies Record<UserAction, (user: User) => Promise<unknown>>;
  const ask = (action: UserAction, user: User) => (asked.value = { action, user });
  const changeRole = (user: User, role: User['role']) =>
    role === 'admin' ? ask('make-admin', user) : run(() => actions.changeRole(user, role));
  const columns = listColumns(changeRole, (user) => (
    <UserMenu
      user={user}
      onUnlock={() => run(() => actions.unlock(user))}
      onEnable={() => run(() => actions.setDisabled(user, false))}
      onAsk={(action) => ask(action, user)}
    />
  ));
  return (
    <>
      <PageHeader title={access.users}>
        <Button kind="primary" data-shortcut="c" onClick={() => (isCreating.value = true)}>
          {access.createUser}
        </Button>
      </PageHeader>
      <PagedList list={list} error={action.error.value}>
        {(users) => <Table label={access.users} rows={users} keyOf={({ id }) => id} columns={columns} />}
      </PagedList>
      {isCreating.value ? (
        <NewUserDialog
          onCreated={(next) => {
            invitation.value = next;
            void list.reload();
          }}
          onClose={() => (isCreating.value = false)}
        />
      ) : null}
      {invitation.value === null ? null : (
        <InvitationDialog invitation={invitation.value} onClose={() => (invitation.value = null)} />
      )}
      {asked.value === null ? null : (
        <UserQuestion {...asked.value} actions={confirmed} onClose={() => (asked.value = null)} />
      )}
    </>
  );
}

function listColumns(
  changeRole: (user: User, role: User['role']) => void,
  renderMenu: (user: User) => ComponentChildren,
): Column<User>[] {
  const { access } = texts;
  const isOwn = ({ id }: User) => id === session.value?.user.id;
  return [
    { title: access.user, cell: NameAndEmail },
    {
      title: access.role,
      cell: (user) => (
        <Select
          isShort
          label={`${access.role}: ${user.email}`}
          options={roleOptions}
          value={user.role}
          disabled={isOwn(user) || user.identity !== null}
          onChange={(role) => changeRole(user, role)}
        />
      ),
    },
    { title: access.lastSignInAt, cell: LastSignIn },
    actionsColumn((user) => (isOwn(user) ? null : renderMenu(user))),
  ];
}

function NameAndEmail({ name, email, disabled }: User) {
  return (
    <span class="person">
      {name === null ? null : <bdi>{name}</bdi>}
      <span class={name === null ? undefined : 'muted'}>{email}</span>
      {disabled ? <Badge tone="quiet">{texts.access.disabled}</Badge> : null}
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
          {texts.access.passwordEnd(Date.parse(end) <= readServiceMs())} <Time at={end} />
        </span>
      )}
    </span>
  );
}

import { type Signal, useSignal } from '@preact/signals';
import { Badge } from '../../parts/badge.tsx';
import { Button } from '../../parts/button.tsx';
import { ConfirmDialog } from '../../parts/confirm-dialog.tsx';
import { PageHeader } from '../../parts/page-header.tsx';
import { Pager } from '../../parts/pager.tsx';
import { ProblemNotice } from '../../parts/problem-notice.tsx';
import { Time } from '../../parts/time.tsx';
import { showToast } from '../../parts/toasts.tsx';
import { api, type Schemas } from '../../service/service.ts';
import { useAction } from '../../service/use-action.ts';
import { useResource } from '../../service/use-resource.ts';
import { session } from '../../session/session.ts';
import { texts } from '../../texts/texts.ts';
import { AccessTabs } from './access-tabs.tsx';
import { NewUserDialog } from './new-user-dialog.tsx';
import { RoleSelect } from './role-select.tsx';

type User = Schemas['User'];
type Asked = { readonly what: 'disable' | 'end-sessions'; readonly user: User } | null;

/** All users, for admins. */
export function UsersPage() {
  const { access } = texts;
  const page = useSignal(1);
  const isCreating = useSignal(false);
  const asked = useSignal<Asked>(null);
  const list = useResource(
    (signal) => api.GET('/api/v1/users', { params: { query: { page: page.value, pageSize: 50 } }, signal }),
    [page.value],
  );
  const change = useAction(async (user: User, body: Schemas['UserChanges']) => {
    await api.PATCH('/api/v1/users/{id}', { params: { path: { id: user.id } }, body });
    showToast(access.changedUser(user.email));
    await list.reload();
  });
  const read = list.data.value;
  return (
    <>
      <PageHeader title={access.tabs.users}>
        <Button kind="primary" data-shortcut="c" onClick={() => (isCreating.value = true)}>
          {access.createUser}
        </Button>
      </PageHeader>
      <AccessTabs />
      <ProblemNotice error={list.error.value ?? change.error.value} onRetry={list.reload} />
      {read === null ? null : (
        <UserTable users={read.items} asked={asked} onChange={(user, body) => void change.run(user, body)} />
      )}
      {read === null ? null : <Pager {...read} onPage={(next) => (page.value = next)} />}
      {isCreating.value ? <NewUserDialog onCreated={list.reload} onClose={() => (isCreating.value = false)} /> : null}
      {asked.value === null ? null : (
        <UserQuestion asked={asked.value} onDone={list.reload} onClose={() => (asked.value = null)} />
      )}
    </>
  );
}

interface UserTableProperties {
  readonly users: readonly User[];
  readonly asked: Signal<Asked>;
  readonly onChange: (user: User, body: Schemas['UserChanges']) => void;
}

function UserTable({ users, asked, onChange }: UserTableProperties) {
  const { access, grants } = texts;
  const ownId = session.value?.user.id;
  return (
    <table class="table" aria-label={access.tabs.users}>
      <thead>
        <tr>
          <th scope="col">{access.email}</th>
          <th scope="col">{access.name}</th>
          <th scope="col">{access.role}</th>
          <th scope="col">{access.state}</th>
          <th scope="col">{access.lastSignInAt}</th>
          <th scope="col">
            <span class="visually-hidden">{grants.actions}</span>
          </th>
        </tr>
      </thead>
      <tbody>
        {users.map((user) => (
          <tr key={user.id}>
            <th scope="row">{user.email}</th>
            <td data-label={access.name}>{user.name ?? '–'}</td>
            <td data-label={access.role}>
              <RoleSelect
                label={`${access.role}: ${user.email}`}
                role={user.role}
                disabled={user.id === ownId || user.identity !== null}
                onChange={(role) => onChange(user, { role })}
              />
            </td>
            <td data-label={access.state}>
              <Badge tone={user.disabled ? 'quiet' : 'good'}>{user.disabled ? access.disabled : access.active}</Badge>
            </td>
            <td data-label={access.lastSignInAt}>
              <Time at={user.lastSignInAt} />
            </td>
            <td>
              {user.id === ownId ? null : (
                <div class="table-actions">
                  <Unlock user={user} />
                  <Button
                    aria-label={`${access.endSessions}: ${user.email}`}
                    onClick={() => (asked.value = { what: 'end-sessions', user })}
                  >
                    {access.endSessions}
                  </Button>
                  {user.disabled ? (
                    <Button
                      aria-label={`${access.enable}: ${user.email}`}
                      onClick={() => onChange(user, { disabled: false })}
                    >
                      {access.enable}
                    </Button>
                  ) : (
                    <Button
                      kind="danger"
                      aria-label={`${access.disable}: ${user.email}`}
                      onClick={() => (asked.value = { what: 'disable', user })}
                    >
                      {access.disable}
                    </Button>
                  )}
                </div>
              )}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
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
      <Button
        isBusy={unlock.isRunning.value}
        aria-label={`${access.unlock}: ${user.email}`}
        onClick={() => void unlock.run()}
      >
        {access.unlock}
      </Button>
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

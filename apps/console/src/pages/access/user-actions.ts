import { showToast } from '../../parts/messages.tsx';
import { api, type Schemas } from '../../service/service.ts';
import { texts } from '../../texts/texts.ts';
import { toPersonName } from './to-person-name.ts';

type User = Schemas['User'];

interface UserActionDeps {
  /** Reads the users again. */
  readonly reload: () => Promise<unknown>;
  /** Runs what a person asks for later, from a toast, and shows its failure on the page. */
  readonly run: (act: () => Promise<unknown>) => void;
}

/** Makes what an admin can do to a user. Each action says what it has done. */
export function makeUserActions({ reload, run }: UserActionDeps) {
  const { access, general } = texts;
  const change = async ({ id }: User, body: Schemas['UserChanges']) => {
    await api.PATCH('/api/v1/users/{id}', { params: { path: { id } }, body });
    await reload();
  };
  const changeRole = async (user: User, role: User['role']): Promise<void> => {
    await change(user, { role });
    showToast(access.hasRole(toPersonName(user), access.roles[role]), {
      label: general.undo,
      onClick: () => run(() => changeRole({ ...user, role }, user.role)),
    });
  };
  const setDisabled = async (user: User, disabled: boolean) => {
    await change(user, { disabled });
    showToast((disabled ? access.wasDisabled : access.wasEnabled)(toPersonName(user)));
  };
  const unlock = async (user: User) => {
    await api.POST('/api/v1/users/{id}/unlock', { params: { path: { id: user.id } } });
    showToast(access.unlocked(toPersonName(user)));
  };
  const endSessions = async (user: User) => {
    await api.DELETE('/api/v1/users/{id}/sessions', { params: { path: { id: user.id } } });
    showToast(access.sessionsEnded(toPersonName(user)));
  };
  return { changeRole, setDisabled, unlock, endSessions };
}

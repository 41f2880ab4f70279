import { Badge } from '../../parts/badge.tsx';
import { Button } from '../../parts/button.tsx';
import { PageHeader } from '../../parts/page-header.tsx';
import { ProblemNotice } from '../../parts/problem-notice.tsx';
import { Time } from '../../parts/time.tsx';
import { api, type Schemas } from '../../service/service.ts';
import { useAction } from '../../service/use-action.ts';
import { useResource } from '../../service/use-resource.ts';
import { loadSession, session, signOutEverywhere } from '../../session/session.ts';
import { texts } from '../../texts/texts.ts';
import { AccessTabs } from './access-tabs.tsx';
import { PasswordForm } from './password-form.tsx';

/** The own sessions, and the own password. */
export function AccountPage() {
  const { access, general } = texts;
  const everywhere = useAction(signOutEverywhere);
  const user = session.value?.user;
  return (
    <>
      <PageHeader title={access.tabs.own} aside={<span class="muted">{user?.email}</span>}>
        <Button kind="danger" isBusy={everywhere.isRunning.value} onClick={() => void everywhere.run()}>
          {general.signOutEverywhere}
        </Button>
      </PageHeader>
      <AccessTabs />
      <ProblemNotice error={everywhere.error.value} />
      <OwnSessions />
      {user?.identity === null ? (
        <section class="section">
          <h2>{access.changePassword}</h2>
          <PasswordForm />
        </section>
      ) : null}
    </>
  );
}

function OwnSessions() {
  const { access, grants } = texts;
  const list = useResource((signal) => api.GET('/api/v1/sessions', { signal }), [], { refreshMs: 15_000 });
  const end = useAction(async ({ id, current }: Schemas['ActiveSession']) => {
    await api.DELETE('/api/v1/sessions/{id}', { params: { path: { id } } });
    await (current ? loadSession() : list.reload());
  });
  return (
    <section class="section">
      <h2>{access.sessions}</h2>
      <ProblemNotice error={list.error.value ?? end.error.value} onRetry={list.reload} />
      {list.data.value === null ? null : (
        <table class="table" aria-label={access.sessions}>
          <thead>
            <tr>
              <th scope="col">{access.device}</th>
              <th scope="col">{access.address}</th>
              <th scope="col">{access.createdAt}</th>
              <th scope="col">{access.lastUsedAt}</th>
              <th scope="col">
                <span class="visually-hidden">{grants.actions}</span>
              </th>
            </tr>
          </thead>
          <tbody>
            {list.data.value.items.map((own) => (
              <tr key={own.id}>
                <th scope="row">
                  {own.device ?? access.unknown} {own.current ? <Badge tone="good">{access.current}</Badge> : null}
                </th>
                <td data-label={access.address}>{own.address ?? access.unknown}</td>
                <td data-label={access.createdAt}>
                  <Time at={own.createdAt} />
                </td>
                <td data-label={access.lastUsedAt}>
                  <Time at={own.lastUsedAt} />
                </td>
                <td>
                  <div class="table-actions">
                    <Button
                      kind="danger"
                      aria-label={`${access.end}: ${own.device ?? access.unknown}`}
                      onClick={() => void end.run(own)}
                    >
                      {access.end}
                    </Button>
                  </div>
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </section>
  );
}

import { useSignal } from '@preact/signals';
import { ChangeGrantDialog } from '../../grants/change-grant-dialog.tsx';
import { writeTokenLines } from '../../grants/code-lines.ts';
import type { IssuedGrant } from '../../grants/grant-kind.ts';
import { GrantsList } from '../../grants/grants-list.tsx';
import { NewGrantDialog } from '../../grants/new-grant-dialog.tsx';
import { SecretDialog } from '../../grants/secret-dialog.tsx';
import { Button } from '../../parts/button.tsx';
import { PageHeader } from '../../parts/page-header.tsx';
import { serviceRoot } from '../../service/page-settings.ts';
import { api } from '../../service/service.ts';
import { texts } from '../../texts/texts.ts';
import { AccessTabs } from './access-tabs.tsx';

/** All provision tokens. */
export function TokensPage() {
  const { access } = texts;
  const isCreating = useSignal(false);
  const issued = useSignal<IssuedGrant | null>(null);
  const version = useSignal(0);
  return (
    <>
      <PageHeader title={access.tabs.tokens}>
        <Button kind="primary" data-shortcut="c" onClick={() => (isCreating.value = true)}>
          {access.createToken}
        </Button>
      </PageHeader>
      <AccessTabs />
      <p class="intro">{access.tokensIntro}</p>
      <GrantsList
        path="/api/v1/provision-tokens"
        label={access.tabs.tokens}
        emptyText={access.tokensEmpty}
        version={version.value}
        onIssued={(grant) => (issued.value = grant)}
        renderChange={(grant, close, onChanged) => (
          <ChangeGrantDialog
            grant={grant}
            onChange={(body) =>
              api.PATCH('/api/v1/provision-tokens/{id}', { params: { path: { id: grant.id } }, body })
            }
            onChanged={onChanged}
            onClose={close}
          />
        )}
      />
      {isCreating.value ? (
        <NewGrantDialog
          title={access.createToken}
          draftName="new-token"
          onCreate={(grant) => api.POST('/api/v1/provision-tokens', { body: grant })}
          onCreated={(grant) => {
            issued.value = grant;
            version.value += 1;
          }}
          onClose={() => (isCreating.value = false)}
        />
      ) : null}
      {issued.value === null ? null : (
        <SecretDialog
          issued={issued.value}
          lines={writeTokenLines(serviceRoot.href)}
          onClose={() => (issued.value = null)}
        />
      )}
    </>
  );
}

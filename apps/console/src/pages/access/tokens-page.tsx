import { ChangeGrantDialog, NewGrantDialog } from '../../grants/grant-form.tsx';
import { GrantsPage } from '../../grants/grants-page.tsx';
import { writeTokenSnippets } from '../../grants/snippets.ts';
import { serviceRoot } from '../../service/page-settings.ts';
import { api } from '../../service/service.ts';
import { texts } from '../../texts/texts.ts';

/** All provision tokens. */
export function TokensPage() {
  const { access } = texts;
  return (
    <GrantsPage
      path="/api/v1/provision-tokens"
      title={access.tokens}
      intro={access.tokensIntro}
      emptyText={access.tokensEmpty}
      createLabel={access.createToken}
      renderCreate={(close, onCreated) => (
        <NewGrantDialog
          title={access.createToken}
          draftName="new-token"
          onCreate={(grant) => api.POST('/api/v1/provision-tokens', { body: grant })}
          onCreated={onCreated}
          onClose={close}
        />
      )}
      renderChange={(grant, close, onChanged) => (
        <ChangeGrantDialog
          grant={grant}
          onChange={(body) => api.PATCH('/api/v1/provision-tokens/{id}', { params: { path: { id: grant.id } }, body })}
          onChanged={onChanged}
          onClose={close}
        />
      )}
      writeSnippets={() => writeTokenSnippets(serviceRoot.href)}
    ></GrantsPage>
  );
}

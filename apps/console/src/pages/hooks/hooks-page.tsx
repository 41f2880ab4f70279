import { GrantsPage } from '../../grants/grants-page.tsx';
import { texts } from '../../texts/texts.ts';
import { FindHook } from './find-hook.tsx';
import { NewIntegration } from './integration-form.tsx';
import { integrationGrants } from './integration-grants.tsx';

/** All integrations. */
export function HooksPage() {
  const { hooks, sources } = texts;
  return (
    <GrantsPage
      {...integrationGrants}
      title={hooks.title}
      intro={hooks.intro}
      emptyText={hooks.empty}
      createLabel={hooks.create}
      toPage={({ id }) => `/hooks/${id}`}
      links={[
        [sources.title, '/hooks/connect'],
        [hooks.deadDeliveries.title, '/hooks/dead'],
        [hooks.quarantine.title, '/hooks/quarantine'],
      ]}
      renderCreate={(close, onCreated) => <NewIntegration onClose={close} onCreated={onCreated} />}
    >
      <FindHook integrationId={null} />
    </GrantsPage>
  );
}

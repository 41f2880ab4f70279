import { GrantsPage } from '../../grants/grants-page.tsx';
import { texts } from '../../texts/texts.ts';
import { FindHook } from './find-hook.tsx';
import { handOver } from './hand-over/held-secrets.ts';
import { ChangeIntegration, NewIntegration } from './integration-form.tsx';

/** All integrations. */
export function HooksPage() {
  const { hooks, sources } = texts;
  return (
    <GrantsPage
      path="/api/v1/integrations"
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
      renderChange={(grant, close, onChanged) =>
        'signature' in grant ? <ChangeIntegration integration={grant} onChanged={onChanged} onClose={close} /> : null
      }
      onIssued={({ url = '', ...issued }, grant) =>
        handOver({ ...issued, url }, { hasSource: grant !== null && 'source' in grant && grant.source !== null })
      }
    >
      <FindHook integrationId={null} />
    </GrantsPage>
  );
}

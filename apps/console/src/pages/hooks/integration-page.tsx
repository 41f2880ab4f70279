import { useSignal } from '@preact/signals';
import { GrantActions } from '../../grants/grant-actions.tsx';
import { listSecretFacts } from '../../grants/secret-facts.tsx';
import { Button } from '../../parts/button.tsx';
import { WithFacts } from '../../parts/facts.tsx';
import { PageHeader } from '../../parts/page-header.tsx';
import { ReadState } from '../../parts/read-state.tsx';
import { FullTime } from '../../parts/time.tsx';
import { Link } from '../../router/link.tsx';
import type { RouteParameters } from '../../router/match-route.ts';
import { api } from '../../service/service.ts';
import { useResource } from '../../service/use-resource.ts';
import { may } from '../../session/session.ts';
import { texts } from '../../texts/texts.ts';
import { FindHook } from './find-hook.tsx';
import { HooksList } from './hooks-list.tsx';
import { integrationGrants } from './integration-grants.tsx';
import { ReplaceSecretDialog } from './source/replace-secret-dialog.tsx';
import { TestHookDialog } from './test-hook-dialog.tsx';

/** One integration with the hooks that it got. */
export function IntegrationPage({ id = '' }: RouteParameters) {
  const { hooks, grants, sources } = texts;
  const isTesting = useSignal(false);
  const isReplacing = useSignal(false);
  const read = useResource(
    (signal) => api.GET('/api/v1/integrations/{id}', { params: { path: { id } }, signal }),
    [id],
    { refreshMs: 15_000 },
  );
  const integration = read.data.value;
  return (
    <>
      <PageHeader title={integration?.name ?? id} parents={[[hooks.title, '/hooks']]}>
        {may('audit:read') ? (
          <Link to={`/access/audit?targetId=${id}`} class="button button-quiet">
            {texts.access.activity}
          </Link>
        ) : null}
        {integration === null ? null : integration.source === null ? (
          <Button onClick={() => (isTesting.value = true)}>{hooks.test}</Button>
        ) : (
          <>
            <Button onClick={() => (isReplacing.value = true)}>{sources.replaceSecret}</Button>
            <Link to={`/hooks/${id}/mapping`} class="button button-plain">
              {sources.edit}
            </Link>
          </>
        )}
        {integration === null ? null : (
          <GrantActions
            {...integrationGrants}
            grant={integration}
            listPage="/hooks"
            onChanged={() => void read.reload()}
          />
        )}
      </PageHeader>
      <ReadState read={read} />
      {integration === null ? null : (
        <>
          <FindHook integrationId={id} />
          <WithFacts
            facts={[
              [hooks.signature, hooks.signatureNames[integration.signature]],
              ...(integration.source === null
                ? []
                : ([[sources.source, sources.presets[integration.source.preset]]] as const)),
              [hooks.deduplicate, integration.deduplicateByContent ? hooks.on : hooks.off],
              [hooks.rateLimit, hooks.formatRate(integration.rate)],
              [grants.createdAt, <FullTime key="created" at={integration.createdAt} />],
              ...listSecretFacts(integrationGrants.path, integration, () => void read.reload()),
              [grants.expires, <FullTime key="expires" at={integration.expiresAt} />],
              [hooks.lastReceivedAt, <FullTime key="last" at={integration.lastReceivedAt} />],
            ]}
          >
            <HooksList integrationId={id} />
          </WithFacts>
        </>
      )}
      {isReplacing.value ? <ReplaceSecretDialog id={id} onClose={() => (isReplacing.value = false)} /> : null}
      {integration !== null && isTesting.value ? (
        <TestHookDialog
          integrationId={id}
          isSigned={integration.signature === 'standard-webhooks'}
          onClose={() => (isTesting.value = false)}
        />
      ) : null}
    </>
  );
}

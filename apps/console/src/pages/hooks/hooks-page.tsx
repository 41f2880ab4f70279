import type { GrantFields, GrantKind } from '../../grants/describe-grant.ts';
import { GrantsPage } from '../../grants/grants-page.tsx';
import { CheckBox, TextField } from '../../parts/fields.tsx';
import { FindHook } from './find-hook.tsx';
import { handOver } from './hand-over-page.tsx';

/** All integrations. */
export function HooksPage() {
  return (
    <GrantsPage
      kind={integrationGrants}
      links={[
        ['Connect sender', '/hooks/connect'],
        ['Dead deliveries', '/hooks/dead'],
        ['Quarantine', '/hooks/quarantine'],
      ]}
    >
      <FindHook integrationId={null} />
    </GrantsPage>
  );
}

interface IntegrationValues {
  /** Only a rotation changes the way of signing later. */
  readonly isSigned: boolean;
  readonly deduplicateByContent: boolean;
  /** Digits, or empty for the limit of the service. */
  readonly rate: string;
}

const integrationFields: GrantFields<IntegrationValues> = {
  read: (grant) => {
    if (grant === null || !('signature' in grant)) return { isSigned: false, deduplicateByContent: true, rate: '' };
    const { deduplicateByContent, rate } = grant;
    return { isSigned: false, deduplicateByContent, rate: rate === null ? '' : String(rate) };
  },
  toBody: ({ isSigned, deduplicateByContent, rate }, isNew) => ({
    ...(isNew ? { signature: isSigned ? 'standard-webhooks' : 'none' } : {}),
    deduplicateByContent,
    rate: rate === '' ? null : Number(rate),
  }),
  render: (values, isNew) => {
    const set = (changes: Partial<IntegrationValues>) => (values.value = { ...values.value, ...changes });
    const { isSigned, deduplicateByContent, rate } = values.value;
    return (
      <>
        {isNew ? (
          <>
            <CheckBox label="Require signed hooks" checked={isSigned} onChange={(next) => set({ isSigned: next })} />
            <p class="hint">As defined by Standard Webhooks. The signing secret is shown once.</p>
          </>
        ) : null}
        <CheckBox
          label="Deduplicate by content"
          checked={deduplicateByContent}
          onChange={(next) => set({ deduplicateByContent: next })}
        />
        <p class="hint">If a hook has no webhook-id, an identical one counts as a duplicate.</p>
        <TextField
          label="Hooks per second"
          hint="Optional. Leave empty for the service default."
          pointer="/rate"
          type="number"
          min="1"
          value={rate}
          onInput={(next) => set({ rate: next })}
        />
      </>
    );
  },
};

/** Integrations as grants. */
export const integrationGrants: GrantKind = {
  path: '/api/v1/integrations',
  listPage: '/hooks',
  hasPages: true,
  title: 'Integrations',
  intro: 'Each integration is a secret URL that one external system posts hooks to.',
  emptyText: 'Create an integration, and give its URL to the system that sends hooks.',
  createLabel: 'Create integration',
  fields: integrationFields,
  onIssued: ({ url = '', ...issued }, before) =>
    handOver({ ...issued, url }, before !== null && 'source' in before && before.source !== null),
};

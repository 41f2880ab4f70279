import { useSignal } from '@preact/signals';
import { RevokeDialog, RotateDialog } from '../../grants/grant-dialogs.tsx';
import { Button } from '../../parts/button.tsx';
import { Facts } from '../../parts/facts.tsx';
import { FullTime } from '../../parts/time.tsx';
import { WidgetLink } from '../../parts/widget-name.tsx';
import { goTo } from '../../router/address.ts';
import type { Schemas } from '../../service/service.ts';
import { texts } from '../../texts/texts.ts';
import { showNewUrl } from './held-stream.ts';
import { ChangeSubscription } from './subscription-form.tsx';

interface StreamSettingsProperties {
  readonly subscription: Schemas['Subscription'];
  readonly onChanged: () => void;
}

/** What a subscription is, and what can be done with it. */
export function StreamSettings({ subscription, onChanged }: StreamSettingsProperties) {
  const { streams, grants } = texts;
  const asked = useSignal<'change' | 'rotate' | 'revoke' | null>(null);
  const dialog = { path: '/api/v1/subscriptions', grant: subscription, onClose: () => (asked.value = null) } as const;
  return (
    <section class="section">
      <div class="section-header">
        <h2>{streams.tabs.settings}</h2>
        <Button onClick={() => (asked.value = 'change')}>{grants.change}</Button>
        <Button onClick={() => (asked.value = 'rotate')}>{grants.rotate}</Button>
        <Button kind="danger" onClick={() => (asked.value = 'revoke')}>
          {grants.revoke}
        </Button>
      </div>
      <Facts
        facts={[
          ...listFilter(subscription.filter),
          [grants.createdAt, <FullTime key="created" at={subscription.createdAt} />],
          [streams.urlIssuedAt, <FullTime key="issued" at={subscription.tokenIssuedAt} />],
          [grants.expires, <FullTime key="expires" at={subscription.expiresAt} />],
          [streams.lastConnectedAt, <FullTime key="last" at={subscription.lastConnectedAt} />],
        ]}
      />
      {asked.value === 'change' ? (
        <ChangeSubscription subscription={subscription} onChanged={onChanged} onClose={dialog.onClose} />
      ) : asked.value === 'rotate' ? (
        <RotateDialog
          {...dialog}
          onRotated={(issued) => {
            showNewUrl(issued);
            onChanged();
          }}
        />
      ) : asked.value === 'revoke' ? (
        <RevokeDialog {...dialog} onRevoked={() => goTo('/streams')} />
      ) : null}
    </section>
  );
}

/** One fact for each condition of the filter. */
function listFilter({ types, states, labels, widgetIds }: Schemas['EventFilter']) {
  const { streams, widgets } = texts;
  if (!types && !states && !labels && !widgetIds) return [[streams.filter, streams.everything]] as const;
  return [
    ...(types ? [[streams.types, types.map((type) => streams.typeNames[type]).join(', ')] as const] : []),
    ...(states ? [[streams.states, states.map((state) => widgets.states[state]).join(', ')] as const] : []),
    ...(labels ? [[streams.labels, <LabelList key="labels" labels={labels} />] as const] : []),
    ...(widgetIds ? [[streams.widgets, <WidgetList key="widgets" ids={widgetIds} />] as const] : []),
  ];
}

function LabelList({ labels }: { readonly labels: readonly string[] }) {
  return (
    <span class="chips">
      {labels.map((label) => (
        <span key={label} class="label" dir="auto">
          {label}
        </span>
      ))}
    </span>
  );
}

function WidgetList({ ids }: { readonly ids: readonly string[] }) {
  return (
    <span class="chips">
      {ids.map((id) => (
        <WidgetLink key={id} id={id} />
      ))}
    </span>
  );
}

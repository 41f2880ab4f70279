import { listSecretFacts } from '../../grants/secrets.tsx';
import { widgetStates } from '../../parts/badges.tsx';
import { Facts } from '../../parts/facts.tsx';
import { FullTime } from '../../parts/time.tsx';
import { WidgetLink } from '../../parts/widget-name.tsx';
import type { Schemas } from '../../service/service.ts';
import { eventTypes } from './filter-values.ts';
import { subscriptionGrants } from './streams-page.tsx';

interface StreamSettingsProperties {
  readonly subscription: Schemas['Subscription'];
  readonly onChanged: () => void;
}

/** What a subscription is. The menu of the page says what can be done with it. */
export function StreamSettings({ subscription, onChanged }: StreamSettingsProperties) {
  return (
    <section class="section">
      <h2>Settings</h2>
      <Facts
        facts={[
          ...listFilter(subscription.filter),
          ['Created', <FullTime key="created" at={subscription.createdAt} />],
          ...listSecretFacts(subscriptionGrants.path, subscription, onChanged),
          ['Expires', <FullTime key="expires" at={subscription.expiresAt} />],
          ['Last connected', <FullTime key="last" at={subscription.lastConnectedAt} />],
        ]}
      />
    </section>
  );
}

/** One fact for each condition of the filter. */
function listFilter({ types, states, labels, widgetIds }: Schemas['EventFilter']) {
  if (!types && !states && !labels && !widgetIds) return [['Filter', 'All events']] as const;
  return [
    ...(types ? [['Kinds', types.map((type) => eventTypes[type]).join(', ')] as const] : []),
    ...(states ? [['States', states.map((state) => widgetStates[state]).join(', ')] as const] : []),
    ...(labels ? [['Labels', <LabelList key="labels" labels={labels} />] as const] : []),
    ...(widgetIds ? [['Widgets', <WidgetList key="widgets" ids={widgetIds} />] as const] : []),
  ];
}

function LabelList({ labels }: { readonly labels: readonly string[] }) {
  return (
    <span class="picked">
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
    <span class="picked">
      {ids.map((id) => (
        <WidgetLink key={id} id={id} />
      ))}
    </span>
  );
}

import { listSecretFacts } from '../../grants/secrets.tsx';
import { Facts } from '../../parts/facts.tsx';
import { FullTime } from '../../parts/time.tsx';
import { WidgetLink } from '../../parts/widget-name.tsx';
import type { Schemas } from '../../service/service.ts';
import { texts } from '../../texts/texts.ts';
import { subscriptionGrants } from './streams-page.tsx';

interface StreamSettingsProperties {
  readonly subscription: Schemas['Subscription'];
  readonly onChanged: () => void;
}

/** What a subscription is. The menu of the page says what can be done with it. */
export function StreamSettings({ subscription, onChanged }: StreamSettingsProperties) {
  const { streams, grants } = texts;
  return (
    <section class="section">
      <h2>{streams.tabs.settings}</h2>
      <Facts
        facts={[
          ...listFilter(subscription.filter),
          [grants.createdAt, <FullTime key="created" at={subscription.createdAt} />],
          ...listSecretFacts(subscriptionGrants.path, subscription, onChanged),
          [grants.expires, <FullTime key="expires" at={subscription.expiresAt} />],
          [streams.lastConnectedAt, <FullTime key="last" at={subscription.lastConnectedAt} />],
        ]}
      />
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

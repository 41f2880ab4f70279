import { GrantsPage } from '../../grants/grants-page.tsx';
import { texts } from '../../texts/texts.ts';
import { NewSubscription } from './subscription-form.tsx';
import { subscriptionGrants } from './subscription-grants.tsx';

/** All subscriptions. */
export function StreamsPage() {
  const { streams } = texts;
  return (
    <GrantsPage
      {...subscriptionGrants}
      title={streams.title}
      intro={streams.intro}
      emptyText={streams.empty}
      createLabel={streams.create}
      toPage={({ id }) => `/streams/${id}`}
      links={[[streams.inspect, '/streams/events']]}
      renderCreate={(close, onCreated) => <NewSubscription onClose={close} onCreated={onCreated} />}
    />
  );
}

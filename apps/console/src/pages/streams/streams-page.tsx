import { GrantsPage } from '../../grants/grants-page.tsx';
import { texts } from '../../texts/texts.ts';
import { showNewUrl } from './held-stream.ts';
import { ChangeSubscription, NewSubscription } from './subscription-form.tsx';

/** All subscriptions. */
export function StreamsPage() {
  const { streams } = texts;
  return (
    <GrantsPage
      path="/api/v1/subscriptions"
      title={streams.title}
      intro={streams.intro}
      emptyText={streams.empty}
      createLabel={streams.create}
      toPage={({ id }) => `/streams/${id}`}
      links={[[streams.inspect, '/streams/events']]}
      renderCreate={(close, onCreated) => <NewSubscription onClose={close} onCreated={onCreated} />}
      renderChange={(grant, close, onChanged) =>
        'filter' in grant ? <ChangeSubscription subscription={grant} onChanged={onChanged} onClose={close} /> : null
      }
      onIssued={showNewUrl}
    />
  );
}

import { useSignal } from '@preact/signals';
import { writeStreamLines } from '../../grants/code-lines.ts';
import type { IssuedGrant } from '../../grants/grant-kind.ts';
import { GrantsList } from '../../grants/grants-list.tsx';
import { NewGrantDialog } from '../../grants/new-grant-dialog.tsx';
import { SecretDialog } from '../../grants/secret-dialog.tsx';
import { Button } from '../../parts/button.tsx';
import { PageHeader } from '../../parts/page-header.tsx';
import { Link } from '../../router/link.tsx';
import { api } from '../../service/service.ts';
import { texts } from '../../texts/texts.ts';
import { ChangeSubscription } from './change-subscription.tsx';
import { FilterFields, noFilter, toFilter } from './filter-fields.tsx';

/** All subscriptions. */
export function StreamsPage() {
  const { streams } = texts;
  const isCreating = useSignal(false);
  const issued = useSignal<IssuedGrant | null>(null);
  const version = useSignal(0);
  return (
    <>
      <PageHeader title={streams.title}>
        <Link to="/streams/events" class="button button-plain">
          {streams.inspect}
        </Link>
        <Button kind="primary" data-shortcut="c" onClick={() => (isCreating.value = true)}>
          {streams.create}
        </Button>
      </PageHeader>
      <p class="intro">{streams.intro}</p>
      <GrantsList
        path="/api/v1/subscriptions"
        label={streams.title}
        emptyText={streams.empty}
        toPage={({ id }) => `/streams/${id}`}
        version={version.value}
        onIssued={(grant) => (issued.value = grant)}
        renderChange={(grant, close, onChanged) =>
          'filter' in grant ? <ChangeSubscription subscription={grant} onChanged={onChanged} onClose={close} /> : null
        }
      />
      {isCreating.value ? (
        <NewSubscription
          onClose={() => (isCreating.value = false)}
          onCreated={(grant) => {
            issued.value = grant;
            version.value += 1;
          }}
        />
      ) : null}
      {issued.value === null ? null : (
        <SecretDialog issued={issued.value} lines={writeStreamLines()} onClose={() => (issued.value = null)} />
      )}
    </>
  );
}

interface NewSubscriptionProperties {
  readonly onClose: () => void;
  readonly onCreated: (issued: IssuedGrant) => void;
}

function NewSubscription({ onClose, onCreated }: NewSubscriptionProperties) {
  const values = useSignal(noFilter);
  return (
    <NewGrantDialog
      title={texts.streams.create}
      draftName="new-subscription"
      onCreate={(grant) => api.POST('/api/v1/subscriptions', { body: { ...grant, filter: toFilter(values.value) } })}
      onCreated={onCreated}
      onClose={onClose}
    >
      <FilterFields values={values} />
    </NewGrantDialog>
  );
}

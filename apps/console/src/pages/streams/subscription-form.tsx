import { useSignal } from '@preact/signals';
import { useRef } from 'preact/hooks';
import { ChangeGrantDialog, NewGrantDialog } from '../../grants/grant-form.tsx';
import type { IssuedGrant } from '../../grants/grant-kind.ts';
import { api, type Schemas } from '../../service/service.ts';
import { texts } from '../../texts/texts.ts';
import { FilterFields } from './filter-fields.tsx';
import { fromFilter, noFilter, toFilter } from './filter-values.ts';

interface NewSubscriptionProperties {
  readonly onClose: () => void;
  readonly onCreated: (issued: IssuedGrant) => void;
}

export function NewSubscription({ onClose, onCreated }: NewSubscriptionProperties) {
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

interface ChangeSubscriptionProperties {
  readonly subscription: Schemas['Subscription'];
  readonly onChanged: () => void;
  readonly onClose: () => void;
}

/** Changes the name, expiry and filter. Open streams take the new filter at once. */
export function ChangeSubscription({ subscription, onChanged, onClose }: ChangeSubscriptionProperties) {
  const { current: before } = useRef(fromFilter(subscription.filter));
  const values = useSignal(before);
  return (
    <ChangeGrantDialog
      grant={subscription}
      onChange={(changes) =>
        api.PATCH('/api/v1/subscriptions/{id}', {
          params: { path: { id: subscription.id } },
          body: { ...changes, ...(values.value === before ? {} : { filter: toFilter(values.value) }) },
        })
      }
      onChanged={onChanged}
      onClose={onClose}
    >
      <FilterFields values={values} />
    </ChangeGrantDialog>
  );
}

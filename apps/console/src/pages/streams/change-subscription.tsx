import { useSignal } from '@preact/signals';
import { ChangeGrantDialog } from '../../grants/change-grant-dialog.tsx';
import { api, type Schemas } from '../../service/service.ts';
import { FilterFields, fromFilter, toFilter } from './filter-fields.tsx';

interface ChangeSubscriptionProperties {
  readonly subscription: Schemas['Subscription'];
  readonly onChanged: () => void;
  readonly onClose: () => void;
}

/** Changes the name, expiry and filter. Open streams take the new filter at once. */
export function ChangeSubscription({ subscription, onChanged, onClose }: ChangeSubscriptionProperties) {
  const values = useSignal(fromFilter(subscription.filter));
  return (
    <ChangeGrantDialog
      grant={subscription}
      onChange={(changes) =>
        api.PATCH('/api/v1/subscriptions/{id}', {
          params: { path: { id: subscription.id } },
          body: { ...changes, filter: toFilter(values.value) },
        })
      }
      onChanged={onChanged}
      onClose={onClose}
    >
      <FilterFields values={values} />
    </ChangeGrantDialog>
  );
}

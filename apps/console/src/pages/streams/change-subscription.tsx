import { useSignal } from '@preact/signals';
import { useRef } from 'preact/hooks';
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
  const { current: before } = useRef({ filter: subscription.filter, values: fromFilter(subscription.filter) });
  const values = useSignal(before.values);
  const readFilter = () => {
    if (values.value === before.values) return {};
    const filter = toFilter(values.value);
    // A label may contain a comma: labels that nobody has changed must not be split.
    return {
      filter: values.value.labels === before.values.labels ? { ...filter, labels: before.filter.labels } : filter,
    };
  };
  return (
    <ChangeGrantDialog
      grant={subscription}
      onChange={(changes) =>
        api.PATCH('/api/v1/subscriptions/{id}', {
          params: { path: { id: subscription.id } },
          body: { ...changes, ...readFilter() },
        })
      }
      onChanged={onChanged}
      onClose={onClose}
    >
      <FilterFields values={values} />
    </ChangeGrantDialog>
  );
}

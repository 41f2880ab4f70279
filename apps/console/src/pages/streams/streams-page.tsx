import type { GrantFields, GrantKind } from '../../grants/describe-grant.ts';
import { GrantsPage } from '../../grants/grants-page.tsx';
import { FilterFields } from './filter-fields.tsx';
import { type FilterValues, fromFilter, noFilter, toFilter } from './filter-values.ts';
import { showNewUrl } from './held-stream.ts';

/** Open streams take a new filter at once. */
const filterFields: GrantFields<FilterValues> = {
  read: (grant) => (grant !== null && 'filter' in grant ? fromFilter(grant.filter) : noFilter),
  toBody: (values) => ({ filter: toFilter(values) }),
  render: (values) => <FilterFields values={values} />,
};

/** Subscriptions as grants. */
export const subscriptionGrants: GrantKind = {
  path: '/api/v1/subscriptions',
  listPage: '/streams',
  hasPages: true,
  title: 'Streams',
  intro: 'A subscription is a secret URL that opens a stream of events. Give each screen or program its own.',
  emptyText: 'Create a subscription, and give its URL to the program that follows the events.',
  createLabel: 'Create subscription',
  fields: filterFields,
  onIssued: showNewUrl,
};

/** All subscriptions. */
export function StreamsPage() {
  return <GrantsPage kind={subscriptionGrants} links={[['Watch all events', '/streams/events']]} />;
}

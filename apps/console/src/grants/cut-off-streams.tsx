import { api } from '../service/service.ts';
import { useResource } from '../service/use-resource.ts';
import { texts } from '../texts/texts.ts';

/** Says how many open streams of a subscription end with its old secret. Nothing while that is not known. */
export function CutOffStreams({ subscriptionId }: { readonly subscriptionId: string }) {
  const read = useResource(
    (signal) => api.GET('/api/v1/subscriptions/{id}/connections', { params: { path: { id: subscriptionId } }, signal }),
    [subscriptionId],
  );
  const open = read.data.value;
  return open === null ? null : (
    <p>{texts.grants.closedStreams(open.totalItems, open.podsAnswered < open.podsAsked)}</p>
  );
}

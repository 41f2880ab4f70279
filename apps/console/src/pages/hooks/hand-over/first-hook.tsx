import { useSignal } from '@preact/signals';
import { formatTime } from '../../../parts/format.ts';
import { ProblemNotice } from '../../../parts/messages.tsx';
import { Link } from '../../../router/link.tsx';
import { api, type Schemas } from '../../../service/service.ts';
import { useResource } from '../../../service/use-resource.ts';
import { texts } from '../../../texts/texts.ts';
import { describeRefusal } from '../refusals.tsx';

interface FirstHookProperties {
  readonly integrationId: string;
  /** Earlier hooks do not count. By the clock of the service. */
  readonly since: string;
}

const refreshMs = 2_000;

/** Waits for the first hook since a moment. Says when it arrived, or why the newest one was refused. */
export function FirstHook({ integrationId, since }: FirstHookProperties) {
  const { handOver } = texts;
  const first = useSignal<Schemas['Delivery'] | null>(null);
  const path = { id: integrationId };
  const read = useResource(
    async (signal) => {
      const [deliveries, refusals] = await Promise.all([
        api.GET('/api/v1/integrations/{id}/deliveries', {
          params: { path, query: { from: since, pageSize: 100 } },
          signal,
        }),
        api.GET('/api/v1/integrations/{id}/refusals', { params: { path, query: { pageSize: 1 } }, signal }),
      ]);
      // Newest first.
      first.value = deliveries.items.at(-1) ?? null;
      return refusals.items.find(({ refusedAt }) => Date.parse(refusedAt) >= Date.parse(since)) ?? null;
    },
    [integrationId, since],
    first.value === null ? { refreshMs } : {},
  );
  const refusal = read.data.value;
  return (
    <>
      <div role="status" class="first-hook">
        {first.value !== null ? (
          <p class="first-hook-arrived">
            {handOver.arrived} <Clock at={first.value.receivedAt} />
          </p>
        ) : (
          <>
            {refusal === null ? null : (
              <p class="first-hook-refused">
                {handOver.refused} <Clock at={refusal.refusedAt} />: {describeRefusal(refusal)}
              </p>
            )}
            <p>{handOver.waiting}</p>
          </>
        )}
      </div>
      {first.value === null ? (
        <p class="hint">{handOver.waitingHint}</p>
      ) : (
        <p>
          <Link to={`/hooks/${integrationId}/deliveries/${first.value.eventId}`}>{handOver.view}</Link>
        </p>
      )}
      <ProblemNotice error={read.error.value} onRetry={read.reload} />
    </>
  );
}

function Clock({ at }: { readonly at: string }) {
  return <time dateTime={at}>{formatTime(Date.parse(at))}</time>;
}

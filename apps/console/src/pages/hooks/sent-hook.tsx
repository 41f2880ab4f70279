import { useSignal } from '@preact/signals';
import { formatExactJson } from '@widget-service/client/json/exact-json.ts';
import { Code } from '../../parts/facts.tsx';
import { formatDuration } from '../../parts/format.ts';
import { ProblemNotice } from '../../parts/messages.tsx';
import { Link } from '../../router/link.tsx';
import { useResource } from '../../service/use-resource.ts';
import { texts } from '../../texts/texts.ts';
import { deadReasons, eventGone, findDelivery } from './delivery.tsx';

/** How long to wait between two looks, in milliseconds. */
const lookMs = 500;
/** After so many looks, the hook probably went to another integration. */
const looksMax = 20;

interface SentHookProperties {
  readonly integrationId: string;
  readonly eventId: string;
  /** How long the service took to accept it, in milliseconds. */
  readonly durationMs: number;
}

/** What became of a test hook: how fast it was accepted, and its event as soon as it is published. */
export function SentHook({ integrationId, eventId, durationMs }: SentHookProperties) {
  const { hooks } = texts;
  const looks = useSignal(0);
  const isSettled = useSignal(false);
  const read = useResource(
    async (signal) => {
      const delivery = await findDelivery(integrationId, eventId, signal);
      looks.value += 1;
      isSettled.value = delivery !== null && delivery.state !== 'received';
      return { delivery };
    },
    [integrationId, eventId],
    isSettled.value ? {} : { refreshMs: lookMs },
  );
  const delivery = read.data.value?.delivery ?? null;
  return (
    <div class="sent-hook">
      <p role="status">
        {hooks.testAccepted(formatDuration(durationMs))}{' '}
        <Link to={`/hooks/${integrationId}/deliveries/${eventId}`}>{hooks.testView}</Link>
      </p>
      <ProblemNotice error={read.error.value} />
      {delivery === null ? (
        <p class="muted">{looks.value < looksMax ? hooks.testWaiting : hooks.testLate}</p>
      ) : delivery.state === 'dead' && delivery.reason !== null ? (
        <p class="notice notice-error">{deadReasons[delivery.reason]}</p>
      ) : delivery.state !== 'published' ? (
        <p class="muted">{hooks.testWaiting}</p>
      ) : delivery.event === null ? (
        <p class="muted">{eventGone}</p>
      ) : (
        <Code>{formatExactJson(delivery.event, 2)}</Code>
      )}
    </div>
  );
}

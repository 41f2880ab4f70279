import { useSignal } from '@preact/signals';
import { createHookSender } from '@widget-service/client/hooks/hook-sender.ts';
import { isSigningPossible } from '@widget-service/client/hooks/sign-hook.ts';
import { formatExactJson, parseExactObject } from '@widget-service/client/json/exact-json.ts';
import { InvalidCallError } from '@widget-service/client/requests/failures.ts';
import { useEffect, useMemo } from 'preact/hooks';
import { FormDialog } from '../../parts/dialog.tsx';
import { Code } from '../../parts/facts.tsx';
import { LinesField, SelectField, TextField } from '../../parts/fields.tsx';
import { formatDuration } from '../../parts/format.ts';
import { ProblemNotice } from '../../parts/messages.tsx';
import { Link } from '../../router/router.tsx';
import { toOwnAddress } from '../../service/service.ts';
import { readServiceMs } from '../../service/service-clock.ts';
import { useResource } from '../../service/use-service.ts';
import { WidgetField } from '../streams/filter-fields.tsx';
import type { PickedValues } from '../streams/filter-values.ts';
import { deadReasons, eventGone, findDelivery } from './delivery.tsx';

const kinds = [
  ['updated', 'Updated'],
  ['created', 'Created'],
  ['retired', 'Retired'],
] as const;
const payloadWrong = 'The payload must be a JSON object.';

/** A hook that the service has accepted. `durationMs`: how long the last attempt took, in milliseconds. */
interface AcceptedHook {
  readonly eventId: string;
  readonly durationMs: number;
}

/** Sends one hook. */
export function TestHookDialog({
  integrationId,
  isSigned,
  secrets,
  onClose,
}: {
  readonly integrationId: string;
  /** Whether the integration accepts only hooks that are signed as Standard Webhooks describes. */
  readonly isSigned: boolean;
  /** The first content of the fields, if the page still knows the secrets. */
  readonly secrets?: { readonly url: string; readonly signingSecret?: string };
  readonly onClose: () => void;
}) {
  const url = useSignal(secrets?.url ?? '');
  const secret = useSignal(secrets?.signingSecret ?? '');
  const kind = useSignal<(typeof kinds)[number][0]>('updated');
  const widget = useSignal<PickedValues>({ chosen: [], text: '' });
  const payload = useSignal('{}');
  const accepted = useSignal<AcceptedHook | null>(null);
  /** How many attempts have failed while another one follows. */
  const failed = useSignal(0);
  // A hook that waits to be sent again must not arrive after its form is gone.
  const closed = useMemo(() => new AbortController(), []);
  useEffect(() => () => closed.abort(), []);
  const send = async () => {
    accepted.value = null;
    failed.value = 0;
    const sent = parseExactObject(payload.value);
    if (sent === null) throw new InvalidCallError(payloadWrong);
    const occurredAt = new Date(readServiceMs()).toISOString();
    const [widgetId] = widget.value.chosen;
    const event = { kind: kind.value, occurredAt, payload: sent, ...(widgetId === undefined ? {} : { widgetId }) };
    let durationMs = 0;
    const sender = createHookSender({
      url: toOwnAddress(url.value),
      ...(isSigned ? { secret: secret.value.trim() } : {}),
      // The service accepts a signature for five minutes, by its own clock.
      now: readServiceMs,
      onRetry: ({ attempt }) => (failed.value = attempt),
      fetch: async (...request) => {
        const startMs = performance.now();
        const response = await fetch(...request);
        durationMs = performance.now() - startMs;
        return response;
      },
    });
    closed.signal.addEventListener('abort', () => sender.close());
    const { eventId } = await sender.send(event);
    accepted.value = { eventId, durationMs };
    failed.value = 0;
  };
  return (
    <FormDialog title="Send test hook" label="Send test hook" closeLabel="Close" onSubmit={send} onClose={onClose}>
      <p class="hint">A test hook has the same effect as any other hook.</p>
      {isSigned && !isSigningPossible() ? (
        <p class="notice notice-warning">
          This page is open over plain HTTP, where browsers sign nothing. Open it over HTTPS or at localhost to send a
          signed hook.
        </p>
      ) : null}
      <TextField
        of={url}
        label="Secret URL"
        hint={secrets === undefined ? 'Paste the URL that you saved: the service keeps only its hash.' : undefined}
        type="url"
        autoComplete="off"
        required
      />
      {isSigned ? (
        <TextField
          of={secret}
          label="Signing secret"
          hint="Starts with whsec_. This integration accepts only signed hooks."
          type="password"
          autoComplete="new-password"
          required
        />
      ) : null}
      <SelectField of={kind} label="Kind" options={kinds} />
      <WidgetField of={widget} />
      <LinesField
        of={payload}
        label="Payload"
        hint="A JSON object."
        pointer="/payload"
        rows={4}
        check={(text) => (parseExactObject(text) === null ? payloadWrong : '')}
      />
      <p role="status">
        {failed.value === 0 ? '' : `${failed.value === 1 ? '1 attempt' : `${failed.value} attempts`} failed. Retrying…`}
      </p>
      {accepted.value === null ? null : <SentHook integrationId={integrationId} {...accepted.value} />}
    </FormDialog>
  );
}

/** How long to wait between two looks at a sent hook, in milliseconds. */
const lookMs = 500;
/** How often to look. If it was not found by then, the hook probably went to another integration. */
const looksMax = 20;

/** What became of a test hook: how fast it was accepted, and its event as soon as it is published. */
function SentHook({ integrationId, eventId, durationMs }: AcceptedHook & { readonly integrationId: string }) {
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
        202 Accepted · {formatDuration(durationMs)} ·{' '}
        <Link to={`/hooks/${integrationId}/deliveries/${eventId}`}>View event</Link>
      </p>
      <ProblemNotice error={read.error.value} />
      {delivery?.state === 'dead' && delivery.reason !== null ? (
        <p class="notice notice-error">{deadReasons[delivery.reason]}</p>
      ) : delivery?.state === 'published' && delivery.event !== null ? (
        <Code>{formatExactJson(delivery.event, 2)}</Code>
      ) : (
        <p class="muted">
          {delivery?.state === 'published'
            ? eventGone
            : delivery === null && looks.value >= looksMax
              ? 'Not in this integration yet. Does the URL belong to another integration?'
              : 'Waiting for publication…'}
        </p>
      )}
    </div>
  );
}

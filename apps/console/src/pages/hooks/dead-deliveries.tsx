import { type ReadonlySignal, useSignal } from '@preact/signals';
import { Button } from '../../parts/button.tsx';
import { ConfirmDialog } from '../../parts/dialog.tsx';
import { showToast } from '../../parts/messages.tsx';
import { api, type Schemas } from '../../service/service.ts';
import { type Action, useAction } from '../../service/use-action.ts';
import { texts } from '../../texts/texts.ts';
import { isSettled, type RedriveOutcome, summarizeRedrive } from './redrive-outcome.ts';

interface Redrive extends Action<[eventIds: readonly string[]]> {
  /** `3 of 20` while it runs, else null. */
  readonly progress: ReadonlySignal<string | null>;
  /** What the last run has left unpublished, in words. Null: nothing, or no run has ended. */
  readonly failure: ReadonlySignal<string | null>;
}

/** How long to wait between two looks at the redriven deliveries, in milliseconds. */
const lookMs = 500;
/** After so many looks, the page says which deliveries still wait. */
const looksMax = 40;

/**
 * Redrives dead deliveries one after the other, and waits until each is published or dead again. It stops at the first
 * refusal, which is shown.
 */
export function useRedrive(integrationId: string, onDone: () => Promise<unknown>): Redrive {
  const progress = useSignal<string | null>(null);
  const failure = useSignal<string | null>(null);
  const action = useAction(async (eventIds: readonly string[]) => {
    failure.value = null;
    try {
      const attemptsBefore = new Map<string, number>();
      for (const eventId of eventIds) {
        progress.value = texts.hooks.redriveProgress(attemptsBefore.size, eventIds.length);
        const path = { id: integrationId, eventId };
        const redrive = '/api/v1/integrations/{id}/deliveries/{eventId}/redrive';
        attemptsBefore.set(eventId, (await api.POST(redrive, { params: { path } })).attempts);
      }
      const outcome = await followRedrive(integrationId, attemptsBefore);
      const text = texts.hooks.describeRedrive(outcome);
      if (outcome.dead + outcome.waiting === 0) showToast(text);
      else failure.value = text;
    } finally {
      progress.value = null;
      await onDone();
    }
  });
  return { ...action, progress, failure };
}

/** Reads redriven deliveries until the service has finished with each. `attemptsBefore` is by event id. */
async function followRedrive(
  integrationId: string,
  attemptsBefore: ReadonlyMap<string, number>,
): Promise<RedriveOutcome> {
  const waiting = new Map(attemptsBefore);
  const settled: Schemas['Delivery'][] = [];
  for (let looks = 0; waiting.size > 0 && looks < looksMax; looks += 1) {
    await new Promise((resolve) => setTimeout(resolve, lookMs));
    for (const [eventId, attempts] of waiting) {
      const path = { id: integrationId, eventId };
      const delivery = await api.GET('/api/v1/integrations/{id}/deliveries/{eventId}', { params: { path } });
      if (!isSettled(delivery, attempts)) continue;
      settled.push(delivery);
      waiting.delete(eventId);
    }
  }
  return summarizeRedrive(settled, waiting.size);
}

/** Says which redriven deliveries are not published. It stays until the next redrive. */
export function RedriveFailure({ redrive }: { readonly redrive: Redrive }) {
  if (redrive.failure.value === null) return null;
  return (
    <p class="notice notice-error" role="alert">
      {redrive.failure.value}
    </p>
  );
}

interface DeadDeliveryButtonsProperties {
  readonly integrationId: string;
  /** One delivery on its own page, or those that are selected in a list. */
  readonly eventIds: readonly string[];
  readonly redrive: Redrive;
  readonly labels: { readonly redrive: string; readonly discard: string };
  readonly onDiscarded: () => Promise<unknown>;
}

/** What can be done with dead deliveries. */
export function DeadDeliveryButtons(properties: DeadDeliveryButtonsProperties) {
  const { integrationId, eventIds, redrive, labels, onDiscarded } = properties;
  const { hooks } = texts;
  /** The deliveries that the dialog asks about, or null if it is closed. */
  const discarding = useSignal<readonly string[] | null>(null);
  const isBusy = redrive.isRunning.value;
  /** One after the other. After a refusal, a second try goes on with the rest. */
  const discard = async (discarded: readonly string[]) => {
    for (const eventId of discarded) {
      const path = { id: integrationId, eventId };
      await api.DELETE('/api/v1/integrations/{id}/deliveries/{eventId}', { params: { path } });
    }
    showToast(hooks.discarded(discarded.length));
    await onDiscarded();
  };
  return (
    <>
      <Button kind="primary" isBusy={isBusy} onClick={() => void redrive.run(eventIds)}>
        {redrive.progress.value ?? labels.redrive}
      </Button>
      <Button kind="danger" isBusy={isBusy} onClick={() => (discarding.value = eventIds)}>
        {labels.discard}
      </Button>
      {discarding.value === null ? null : (
        <ConfirmDialog
          title={hooks.discardTitle(discarding.value.length)}
          text={hooks.discardText}
          label={hooks.discard}
          isDangerous
          onConfirm={() => discard(discarding.value ?? [])}
          onClose={() => (discarding.value = null)}
        />
      )}
    </>
  );
}

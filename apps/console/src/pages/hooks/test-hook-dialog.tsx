import { useSignal } from '@preact/signals';
import { createHookSender } from '@widget-service/client/hooks/hook-sender.ts';
import { InvalidCallError } from '@widget-service/client/requests/invalid-call-error.ts';
import { Button } from '../../parts/button.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { Field } from '../../parts/field.tsx';
import { ProblemNotice } from '../../parts/problem-notice.tsx';
import { useDraft } from '../../parts/use-draft.ts';
import { toOwnAddress } from '../../service/own-address.ts';
import { useAction } from '../../service/use-action.ts';
import { texts } from '../../texts/texts.ts';
import { parsePayload } from './parse-payload.ts';

const kinds = ['updated', 'created', 'retired'] as const;
const emptyHook = { kind: 'updated' as (typeof kinds)[number], widgetId: '', payload: '{}' };

/** Sends one hook. The secret URL is only in this form: it is not kept with the draft. */
export function TestHookDialog({ onClose }: { readonly onClose: () => void }) {
  const { hooks, general } = texts;
  const url = useSignal('');
  const accepted = useSignal<string | null>(null);
  const { values } = useDraft('test-hook', emptyHook);
  const change = (changes: Partial<typeof emptyHook>) => (values.value = { ...values.value, ...changes });
  const send = useAction(async () => {
    accepted.value = null;
    const { kind, widgetId } = values.value;
    const payload = parsePayload(values.value.payload);
    if (payload === null) throw new InvalidCallError(hooks.testPayloadWrong);
    const sender = createHookSender({ url: toOwnAddress(url.value) });
    const event = {
      kind,
      occurredAt: new Date().toISOString(),
      payload,
    };
    accepted.value = (await sender.send(widgetId === '' ? event : { ...event, widgetId })).eventId;
  });
  return (
    <Dialog title={hooks.test} onClose={onClose}>
      <p class="hint">{hooks.testIntro}</p>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void send.run();
        }}
      >
        <Field label={hooks.testUrl}>
          {({ id }) => (
            <input
              id={id}
              class="input"
              type="url"
              autoComplete="off"
              required
              value={url.value}
              onInput={({ currentTarget }) => (url.value = currentTarget.value)}
            />
          )}
        </Field>
        <Field label={hooks.testKind}>
          {({ id }) => (
            <select
              id={id}
              class="input"
              value={values.value.kind}
              onChange={({ currentTarget }) =>
                change({ kind: kinds.find((kind) => kind === currentTarget.value) ?? 'updated' })
              }
            >
              {kinds.map((kind) => (
                <option key={kind} value={kind}>
                  {hooks.kinds[kind]}
                </option>
              ))}
            </select>
          )}
        </Field>
        <Field label={hooks.testWidget} hint={hooks.testWidgetHint}>
          {({ id, hintId }) => (
            <input
              id={id}
              class="input"
              aria-describedby={hintId}
              value={values.value.widgetId}
              onInput={({ currentTarget }) => change({ widgetId: currentTarget.value.trim() })}
            />
          )}
        </Field>
        <PayloadField payload={values.value.payload} onChange={(payload) => change({ payload })} />
        <ProblemNotice error={send.error.value} />
        <p role="status">{accepted.value === null ? '' : hooks.testAccepted(accepted.value)}</p>
        <div class="dialog-actions">
          <Button onClick={onClose}>{general.close}</Button>
          <Button kind="primary" type="submit" isBusy={send.isRunning.value}>
            {hooks.testSend}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}

interface PayloadFieldProperties {
  readonly payload: string;
  readonly onChange: (payload: string) => void;
}

function PayloadField({ payload, onChange }: PayloadFieldProperties) {
  const { hooks } = texts;
  return (
    <Field label={hooks.testPayload} hint={hooks.testPayloadHint}>
      {({ id, hintId }) => (
        <textarea
          id={id}
          class="input"
          rows={4}
          spellcheck={false}
          aria-describedby={hintId}
          value={payload}
          onInput={({ currentTarget }) => {
            onChange(currentTarget.value);
            currentTarget.setCustomValidity(parsePayload(currentTarget.value) === null ? hooks.testPayloadWrong : '');
          }}
        />
      )}
    </Field>
  );
}

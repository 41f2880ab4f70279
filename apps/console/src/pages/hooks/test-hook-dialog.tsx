import { useSignal } from '@preact/signals';
import { parseExactObject } from '@widget-service/client/json/exact-json.ts';
import { InvalidCallError } from '@widget-service/client/requests/failures.ts';
import { useEffect, useMemo } from 'preact/hooks';
import { FormDialog } from '../../parts/dialog.tsx';
import { Field, Select, TextField } from '../../parts/fields.tsx';
import { useDraft } from '../../parts/use-draft.ts';
import { toOwnAddress } from '../../service/page-settings.ts';
import { texts } from '../../texts/texts.ts';
import { type AcceptedHook, sendTestHook } from './send-test-hook.ts';
import { SentHook } from './sent-hook.tsx';
import { WidgetField } from './widget-field.tsx';

const kinds = ['updated', 'created', 'retired'] as const;
const emptyHook = { kind: 'updated' as (typeof kinds)[number], widgetId: '', payload: '{}' };

interface TestHookDialogProperties {
  readonly integrationId: string;
  /** Whether the integration accepts only hooks that are signed as Standard Webhooks describes. */
  readonly isSigned: boolean;
  /** What is filled in, while the page knows it. */
  readonly secrets?: { readonly url: string; readonly signingSecret?: string };
  readonly onClose: () => void;
}

/** Sends one hook. The secret URL and the signing secret are only in this form, and so is the payload: they are not kept with the draft. */
export function TestHookDialog({ integrationId, isSigned, secrets, onClose }: TestHookDialogProperties) {
  const { hooks, grants, general } = texts;
  const url = useSignal(secrets?.url ?? '');
  const secret = useSignal(secrets?.signingSecret ?? '');
  const accepted = useSignal<AcceptedHook | null>(null);
  /** How many attempts have failed while another one follows. */
  const failed = useSignal(0);
  // A hook that waits to be sent again must not arrive after its form is gone.
  const closed = useMemo(() => new AbortController(), []);
  useEffect(() => () => closed.abort(), []);
  const { values } = useDraft('test-hook', emptyHook, ['kind', 'widgetId']);
  const change = (changes: Partial<typeof emptyHook>) => (values.value = { ...values.value, ...changes });
  const send = async () => {
    accepted.value = null;
    failed.value = 0;
    const { kind, widgetId } = values.value;
    const payload = parseExactObject(values.value.payload);
    if (payload === null) throw new InvalidCallError(hooks.testPayloadWrong);
    const event = { kind, occurredAt: new Date().toISOString(), payload, ...(widgetId === '' ? {} : { widgetId }) };
    const options = {
      url: toOwnAddress(url.value),
      ...(isSigned ? { secret: secret.value.trim() } : {}),
      onRetry: ({ attempt }: { readonly attempt: number }) => (failed.value = attempt),
    };
    accepted.value = await sendTestHook(event, options, closed.signal);
    failed.value = 0;
  };
  return (
    <FormDialog
      title={hooks.test}
      submitLabel={hooks.testSend}
      closeLabel={general.close}
      onSubmit={send}
      onClose={onClose}
    >
      <p class="hint">{hooks.testIntro}</p>
      <TextField
        label={hooks.testUrl}
        hint={secrets === undefined ? hooks.testUrlHint : undefined}
        type="url"
        autoComplete="off"
        required
        value={url.value}
        onInput={(text) => (url.value = text)}
      />
      {isSigned ? (
        <TextField
          label={grants.signingSecret}
          hint={hooks.testSecretHint}
          type="password"
          autoComplete="off"
          required
          value={secret.value}
          onInput={(text) => (secret.value = text)}
        />
      ) : null}
      <Field label={hooks.testKind}>
        {({ id }) => (
          <Select
            id={id}
            options={kinds.map((kind) => [kind, hooks.kinds[kind]] as const)}
            value={values.value.kind}
            onChange={(kind) => change({ kind })}
          />
        )}
      </Field>
      <WidgetField value={values.value.widgetId} onChange={(widgetId) => change({ widgetId })} />
      <PayloadField value={values.value.payload} onInput={(payload) => change({ payload })} />
      <p role="status">{failed.value === 0 ? '' : hooks.testRetrying(failed.value)}</p>
      {accepted.value === null ? null : <SentHook integrationId={integrationId} {...accepted.value} />}
    </FormDialog>
  );
}

interface PayloadFieldProperties {
  readonly value: string;
  readonly onInput: (value: string) => void;
}

/** JSON. The form cannot be sent while it is no object. */
function PayloadField({ value, onInput }: PayloadFieldProperties) {
  const { hooks } = texts;
  return (
    <Field label={hooks.testPayload} hint={hooks.testPayloadHint} pointer="/payload">
      {({ id, hintId, isWrong }) => (
        <textarea
          id={id}
          class="input"
          rows={4}
          spellcheck={false}
          aria-describedby={hintId}
          aria-invalid={isWrong}
          value={value}
          onInput={({ currentTarget }) => {
            onInput(currentTarget.value);
            const isObject = parseExactObject(currentTarget.value) !== null;
            currentTarget.setCustomValidity(isObject ? '' : hooks.testPayloadWrong);
          }}
        />
      )}
    </Field>
  );
}

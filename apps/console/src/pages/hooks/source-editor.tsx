import { type Signal, useSignal } from '@preact/signals';
import { formatExactJson, parseExactJson } from '@widget-service/client/json/exact-json.ts';
import type { ComponentChildren } from 'preact';
import { Button } from '../../parts/button.tsx';
import { Code } from '../../parts/facts.tsx';
import { LinesField } from '../../parts/fields.tsx';
import { Table } from '../../parts/lists.tsx';
import { ProblemNotice } from '../../parts/messages.tsx';
import { api, type Schemas } from '../../service/service.ts';
import { usePause, useResource } from '../../service/use-service.ts';
import { type PresetName, type Sample, senders, toHeaders } from './source-examples.ts';

type Preview = Schemas['HookPreview'];

/** Without secrets, no signature is verified. */
type TriedSource = Schemas['NewSourcePreview']['source'];

/** Parses a JSON object or array. Null: the text is neither. The service checks its members. */
export function parseDocument<Document extends object>(text: string): Document | null {
  try {
    const parsed: unknown = JSON.parse(text);
    return typeof parsed === 'object' && parsed !== null ? (parsed as Document) : null;
  } catch {
    return null;
  }
}

/** The fields of a request of the sender. */
export type SampleFields = { readonly [Name in keyof Sample]: Signal<string> };

export function useSample(): SampleFields {
  return { headers: useSignal(''), body: useSignal('') };
}

export function fillSample(sample: SampleFields, { headers, body }: Sample): void {
  sample.headers.value = headers;
  sample.body.value = body;
}

/** A request of the sender, the source or its mapping as JSON, and what becomes of the request, side by side. */
export function SourceEditor({
  document,
  preset,
  sample,
  source,
  samples,
  children,
  end,
}: {
  /** The JSON that is edited, and what it is. */
  readonly document: { readonly text: Signal<string>; readonly label: string };
  /** Whose example request can be used. */
  readonly preset: PresetName;
  readonly sample: SampleFields;
  /** Null: the text is no JSON. */
  readonly source: TriedSource | null;
  /** Further buttons beside "Use example": kept requests, or what waits for a first one. */
  readonly samples: ComponentChildren;
  /** The first step, if there is one. */
  readonly children?: ComponentChildren;
  /** The last one: what to do with the mapping. */
  readonly end: ComponentChildren;
}) {
  const first = children === undefined ? 1 : 2;
  return (
    <div class="source-editor">
      <div>
        {children}
        <section class="section">
          <h2>{first}. Sample request</h2>
          <div class="sample-sources">
            <Button onClick={() => fillSample(sample, senders[preset].sample)}>Use example</Button>
            {samples}
          </div>
          <LinesField
            of={sample.headers}
            label="Headers"
            hint="One per line, as name: value. Leave out the value of a header that holds a secret."
            rows={4}
          />
          <LinesField of={sample.body} label="Body" hint="Exactly as the sender sends it." rows={10} />
        </section>
      </div>
      <section class="section">
        <h2>{first + 1}. Mapping to a hook</h2>
        <LinesField
          of={document.text}
          label={document.label}
          hint='JSON. A place is {"from": "/a/b"} in the body, {"header": "name"}, or {"value": "a constant"}.'
          rows={28}
        />
      </section>
      <section class="section source-result">
        <h2>{first + 2}. Result</h2>
        <SourcePreview source={source} headers={sample.headers.value} body={sample.body.value} />
        {end}
      </section>
    </div>
  );
}

/** The parts of a request and of a hook. */
const members: Readonly<Record<string, string>> = {
  signature: 'Signature',
  body: 'Body',
  only: 'Filter',
  kind: 'Kind',
  occurredAt: 'Time',
  widgetId: 'Widget',
  id: 'Hook id',
  payload: 'Payload',
};

/** Why a request is refused: `Time: the text is no time`. */
export const describeStep = ({ step, reason }: { readonly step: string; readonly reason: string }) =>
  `${members[step] ?? step}: ${reason}.`;

const outcomes: Readonly<Record<Preview['outcome'], string>> = {
  hook: 'The request becomes a hook.',
  ignored: 'The request is ignored: the sender gets 202, and nothing happens.',
  answered: 'The request is a handshake of the sender: the service answers it.',
  refused: 'The request is refused.',
};

/** What the service would do with the request, by a source that is not saved. Numbers keep their digits. */
function SourcePreview({ source, headers, body }: { readonly source: TriedSource | null } & Sample) {
  const asked = usePause(JSON.stringify([source, headers, body]));
  const preview = useResource<Preview | null>(
    async (signal) => {
      if (source === null || body === '') return null;
      const request = { body: { source, headers: toHeaders(headers), body }, signal, parseAs: 'text' as const };
      const text: string = await api.POST('/api/v1/integrations/preview', request);
      return parseExactJson(text) as Preview;
    },
    [asked],
  );
  const shown = preview.data.value;
  if (source === null) return <p class="field-mistake">The mapping is no JSON object.</p>;
  if (preview.error.value !== null) return <ProblemNotice error={preview.error.value} />;
  if (shown === null) return <p class="hint">Paste a request, or use the example.</p>;
  const { outcome, refusal, signature, mapped, event } = shown;
  return (
    <>
      <p role="status">
        <strong>{outcomes[outcome]}</strong> {refusal === null ? '' : describeStep(refusal)}
      </p>
      <p>Signature: {signature.result.replace('-', ' ')}</p>
      <Table
        label="Result"
        rows={mapped.filter(({ member }) => member !== 'payload')}
        keyOf={({ member, read }) => `${member} ${read}`}
        columns={[
          { title: 'Part', cell: ({ member }) => members[member] },
          { title: 'In the request', cell: ({ read }) => read ?? 'Nothing' },
          {
            title: 'In the hook',
            // The widget id is made of the name and the id of the integration, which may not exist yet.
            cell: ({ member, read, became }) =>
              became ?? (member === 'widgetId' && read !== null ? 'The widget with this name' : 'Nothing'),
          },
        ]}
      />
      {event === null ? null : (
        <>
          <h3>Event, as streams send it</h3>
          <Code>{formatExactJson(event, 2)}</Code>
        </>
      )}
    </>
  );
}

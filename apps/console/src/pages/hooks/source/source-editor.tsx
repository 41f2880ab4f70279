import { type Signal, useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useEffect } from 'preact/hooks';
import { Button } from '../../../parts/button.tsx';
import type { Schemas } from '../../../service/service.ts';
import { useResource } from '../../../service/use-resource.ts';
import { texts } from '../../../texts/texts.ts';
import { examples, type PresetName } from './examples.ts';
import { type MappingDraft, type Target, targets, toMapping, usePlace } from './mapping-draft.ts';
import { MappingFields } from './mapping-fields.tsx';
import { PreviewPanel } from './preview-panel.tsx';
import { type Sample, toHeaders } from './sample.ts';
import { SampleFields } from './sample-fields.tsx';

type Mapping = Schemas['NewHookMapping'];

/** What a preview sends beside the mapping. */
interface PreviewedRequest {
  readonly headers: Record<string, string[]>;
  readonly body: string;
}

interface SourceEditorProperties {
  readonly preset: PresetName;
  readonly sample: Signal<Sample>;
  readonly draft: Signal<MappingDraft>;
  /** Whether an example replaces the mapping, too: not one that is in use. */
  readonly exampleHasMapping: boolean;
  /** Null: there is nothing to preview yet. Another `previewKey` asks again. */
  readonly readPreview: (
    mapping: Mapping,
    request: PreviewedRequest,
    signal: AbortSignal,
  ) => Promise<Schemas['HookPreview']>;
  readonly previewKey: string;
  /** Where else requests of the sender come from. */
  readonly samples?: ComponentChildren;
  /** The first step, if there is one. */
  readonly children?: ComponentChildren;
  /** The last one: what to do with the mapping. */
  readonly renderEnd: (mapping: Mapping | null) => ComponentChildren;
}

const pauseMs = 300;

/** A request of the sender, the mapping, and what becomes of the request, side by side. */
export function SourceEditor(properties: SourceEditorProperties) {
  const { preset, sample, draft, exampleHasMapping, readPreview, previewKey, samples, children, renderEnd } =
    properties;
  const { sources } = texts;
  const target = useSignal<Target>('kind');
  const mapping = toMapping(draft.value);
  const { headers, body } = sample.value;
  const asked = usePause(JSON.stringify([mapping, headers, body, previewKey]));
  const preview = useResource<Schemas['HookPreview'] | null>(
    async (signal) =>
      mapping === null || body === '' ? null : readPreview(mapping, { headers: toHeaders(headers), body }, signal),
    [asked],
  );
  const useExample = () => {
    const { sample: exampleSample, mapping: exampleMapping } = examples[preset];
    sample.value = exampleSample;
    if (exampleHasMapping) draft.value = exampleMapping;
  };
  return (
    <div class="source-editor">
      <div>
        {children}
        <section class="section">
          <h2>{sources.sampleStep}</h2>
          <div class="sample-sources">
            <Button onClick={useExample}>{sources.example}</Button>
            {samples}
          </div>
          <SampleFields
            sample={sample}
            target={target.value}
            onUse={({ place, text }) => {
              draft.value = usePlace(draft.peek(), target.peek(), place, text);
              // The next part, so that clicking goes on without the keyboard.
              target.value = targets[targets.indexOf(target.peek()) + 1] ?? target.peek();
            }}
          />
        </section>
      </div>
      <section class="section">
        <h2>{sources.mappingStep}</h2>
        <MappingFields draft={draft} target={target} />
      </section>
      <section class="section source-result">
        <h2>{sources.resultStep}</h2>
        <PreviewPanel preview={preview} />
        {renderEnd(mapping)}
      </section>
    </div>
  );
}

/** Returns the value once it has not changed for a moment: nobody wants an answer for each key. */
function usePause(value: string): string {
  const settled = useSignal(value);
  useEffect(() => {
    const timer = setTimeout(() => (settled.value = value), pauseMs);
    return () => clearTimeout(timer);
  }, [value]);
  return settled.value;
}

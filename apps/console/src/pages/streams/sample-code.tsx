import { CodeTabs } from '../../parts/code-tabs.tsx';
import { Code } from '../../parts/facts.tsx';
import { texts } from '../../texts/texts.ts';
import { readStreamUrl, streamSamples } from './stream-samples.ts';

/** Programs that follow the stream, to paste. */
export function SampleCode() {
  const { samples } = texts.streams;
  return (
    <section class="section sample-code">
      <h2>{samples.title}</h2>
      <p class="hint">{samples.hint}</p>
      <Code>{readStreamUrl}</Code>
      <CodeTabs label={samples.title} codes={streamSamples} copyLabel={texts.grants.copyLines} />
      <h2>{samples.corsTitle}</h2>
      {samples.cors.map((text) => (
        <p key={text}>{text}</p>
      ))}
    </section>
  );
}

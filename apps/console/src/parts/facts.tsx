import type { ComponentChildren } from 'preact';

/** Names and values of one thing. */
export function Facts({ facts }: { readonly facts: readonly (readonly [string, ComponentChildren])[] }) {
  return (
    <dl class="facts">
      {facts.map(([name, value]) => (
        <div key={name} class="fact">
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

interface WithFactsProperties {
  readonly facts: readonly (readonly [string, ComponentChildren])[];
  readonly children: ComponentChildren;
}

/** What one came for, and beside it, or below it on a narrow page, what one looks up now and then. */
export function WithFacts({ facts, children }: WithFactsProperties) {
  return (
    <div class="with-facts">
      <div>{children}</div>
      <Facts facts={facts} />
    </div>
  );
}

/** Text as a program wrote it. Long lines scroll, also by the keyboard. */
export function Code({ children }: { readonly children: string }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: without it, the keyboard could not scroll it.
    <pre class="code" tabIndex={0}>
      {children}
    </pre>
  );
}

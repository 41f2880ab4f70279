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

/** Text as a program wrote it. Long lines scroll, also by the keyboard. */
export function Code({ children }: { readonly children: string }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: without it, the keyboard could not scroll it.
    <pre class="code" tabIndex={0}>
      {children}
    </pre>
  );
}

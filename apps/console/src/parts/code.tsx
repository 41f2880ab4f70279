/** Text as a program wrote it. Long lines scroll, also by the keyboard. */
export function Code({ children }: { readonly children: string }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: without it, the keyboard could not scroll it.
    <pre class="code" tabIndex={0}>
      {children}
    </pre>
  );
}

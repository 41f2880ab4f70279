import { useSignal } from '@preact/signals';
import type { ComponentChildren, TargetedKeyboardEvent } from 'preact';
import { useId } from 'preact/hooks';
import { CopyButton } from './button.tsx';

interface FactsProperties {
  readonly facts: readonly (readonly [string, ComponentChildren])[];
}

/** Names and values of one thing. */
export function Facts({ facts }: FactsProperties) {
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

/** A page with its main content, and its facts beside it, or below it on a narrow page. */
export function WithFacts({ facts, children }: FactsProperties & { readonly children: ComponentChildren }) {
  return (
    <div class="with-facts">
      <div>{children}</div>
      <Facts facts={facts} />
    </div>
  );
}

/** An id to copy. */
export function CopiedId({ id, label }: { readonly id: string; readonly label?: string }) {
  return (
    <span class="with-button">
      <code class="selectable">{id}</code>
      <CopyButton text={id} {...(label === undefined ? {} : { label })} />
    </span>
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

interface CodeTabsProperties {
  /** The accessible name of the tabs. */
  readonly label: string;
  /** Programs by the name of their language. */
  readonly codes: Readonly<Record<string, string>>;
  readonly copyLabel: string;
}

/** How far each arrow key moves the chosen tab. */
const steps: Readonly<Record<string, number>> = { ArrowRight: 1, ArrowLeft: -1 };

/** The same program in several languages, one at a time. Tab leads to the chosen one, and the arrows to the others. */
export function CodeTabs({ label, codes, copyLabel }: CodeTabsProperties) {
  const names = Object.keys(codes);
  const language = useSignal(names[0] ?? '');
  const panelId = useId();
  const code = codes[language.value] ?? '';
  const turn = (event: TargetedKeyboardEvent<HTMLElement>) => {
    const step = steps[event.key];
    if (step === undefined) return;
    event.preventDefault();
    const next = (names.indexOf(language.value) + step + names.length) % names.length;
    language.value = names[next] ?? '';
    event.currentTarget.querySelectorAll<HTMLElement>('[role="tab"]')[next]?.focus();
  };
  return (
    <>
      <div class="tabs" role="tablist" aria-label={label} onKeyDown={turn}>
        {names.map((name) => (
          <button
            key={name}
            type="button"
            role="tab"
            class="tab"
            aria-selected={name === language.value}
            aria-controls={panelId}
            tabIndex={name === language.value ? 0 : -1}
            onClick={() => (language.value = name)}
          >
            {name}
          </button>
        ))}
      </div>
      <div id={panelId} role="tabpanel" aria-label={language.value} class="code-panel">
        <Code>{code}</Code>
        <CopyButton text={code} label={copyLabel} />
      </div>
    </>
  );
}

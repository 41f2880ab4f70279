import { useSignal } from '@preact/signals';
import { useId } from 'preact/hooks';
import { CopyButton } from './button.tsx';
import { Code } from './facts.tsx';

interface CodeTabsProperties {
  /** The accessible name of the tabs. */
  readonly label: string;
  /** Programs by the name of their language. */
  readonly codes: Readonly<Record<string, string>>;
  readonly copyLabel: string;
}

/** The same program in several languages, one at a time. */
export function CodeTabs({ label, codes, copyLabel }: CodeTabsProperties) {
  const names = Object.keys(codes);
  const language = useSignal(names[0] ?? '');
  const panelId = useId();
  const code = codes[language.value] ?? '';
  return (
    <>
      <div class="tabs" role="tablist" aria-label={label}>
        {names.map((name) => (
          <button
            key={name}
            type="button"
            role="tab"
            class="tab"
            aria-selected={name === language.value}
            aria-controls={panelId}
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

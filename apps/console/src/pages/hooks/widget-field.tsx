import { useSignal } from '@preact/signals';
import type { TargetedKeyboardEvent } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { Field } from '../../parts/fields.tsx';
import { Option, useOptions } from '../../parts/options.tsx';
import { isComposing } from '../../parts/read-key.ts';
import { isUuid } from '../../parts/text.ts';
import { nameWidget } from '../../parts/widget-name.tsx';
import { useWidgetsByText } from '../widgets/find-widgets.ts';

const matchesMax = 6;
const unchosen = 'Choose a widget from the list, or paste its id.';
const field = {
  label: 'Widget',
  hint: 'Search by name, or paste a widget id. Optional for the kind “Created”.',
  pointer: '/widgetId',
  wrongForm: 'This is not a widget id. The page of a widget shows its id.',
};

/** Chooses a widget by its name. Its id may be typed, too. `value`: the id of the chosen widget, or empty. */
export function WidgetField({ value, onChange }: { readonly value: string; readonly onChange: (id: string) => void }) {
  const input = useRef<HTMLInputElement>(null);
  /** What the person has typed since a widget was chosen, or null. */
  const typed = useSignal<string | null>(null);
  const isOpen = useSignal(false);
  const text = typed.value ?? (value === '' ? '' : (nameWidget(value) ?? value));
  const search = typed.value?.trim() ?? '';
  const isSearching = isOpen.value && search !== '' && !isUuid(search);
  const { items: matches, isDone } = useWidgetsByText(isSearching ? search : '', matchesMax);
  const options = useOptions(matches.length);
  const type = (next: string) => {
    typed.value = next;
    isOpen.value = true;
    options.moveTo(0);
    onChange(isUuid(next.trim()) ? next.trim() : '');
  };
  const choose = (id: string | undefined) => {
    if (id === undefined) return;
    onChange(id);
    typed.value = null;
    isOpen.value = false;
  };
  const press = (event: TargetedKeyboardEvent<HTMLInputElement>) => {
    if (isComposing(event) || !isSearching) return;
    if (event.key === 'Enter') choose(matches[options.index]?.id);
    // Escape closes the list first, then the dialog.
    else if (event.key === 'Escape') isOpen.value = false;
    else if (!options.press(event.key)) return;
    event.preventDefault();
  };
  const isUnchosen = value === '' && search !== '';
  useEffect(() => input.current?.setCustomValidity(isUnchosen ? unchosen : ''), [isUnchosen]);
  return (
    <Field {...field}>
      {({ id, hintId, isWrong }) => (
        <div class="widget-field">
          <input
            ref={input}
            id={id}
            class="input"
            dir="auto"
            role="combobox"
            autoComplete="off"
            spellcheck={false}
            aria-autocomplete="list"
            aria-expanded={matches.length > 0}
            aria-controls={options.listId}
            aria-activedescendant={options.activeId}
            aria-describedby={hintId}
            aria-invalid={isWrong}
            value={text}
            onInput={({ currentTarget }) => type(currentTarget.value)}
            onKeyDown={press}
            onBlur={() => (isOpen.value = false)}
          />
          <div id={options.listId} class="widget-matches" role="listbox" aria-label="Widgets that match">
            {matches.map((widget, at) => (
              <Option key={widget.id} of={options} at={at} class="palette-entry" onChoose={() => choose(widget.id)}>
                <span class="widget-name" dir="auto">
                  {widget.name}
                </span>
                {/* Tells widgets of the same name apart. */}
                <code class="muted">{widget.id.slice(-8)}</code>
              </Option>
            ))}
          </div>
          <p class="hint" role="status">
            {isSearching && isDone && matches.length === 0 ? 'No widgets match.' : ''}
          </p>
        </div>
      )}
    </Field>
  );
}

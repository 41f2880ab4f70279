interface TimeInputProperties {
  readonly label: string;
  /** RFC 3339 in UTC, or null for none. */
  readonly value: string | null;
  readonly onChange: (value: string | null) => void;
}

/** A moment, typed in the time zone of the person. */
export function TimeInput({ label, value, onChange }: TimeInputProperties) {
  return (
    <label class="inline-field">
      {label}
      <input
        class="input input-short"
        type="datetime-local"
        step="1"
        value={toLocalText(value)}
        onChange={({ currentTarget }) => {
          const ms = Date.parse(currentTarget.value);
          onChange(Number.isNaN(ms) ? null : new Date(ms).toISOString());
        }}
      />
    </label>
  );
}

/** Returns what an input of the type `datetime-local` shows: the local time without its zone. Empty for null. */
export function toLocalText(value: string | null): string {
  if (value === null) return '';
  const ms = Date.parse(value);
  if (Number.isNaN(ms)) return '';
  return new Date(ms - new Date(ms).getTimezoneOffset() * 60_000).toISOString().slice(0, 19);
}

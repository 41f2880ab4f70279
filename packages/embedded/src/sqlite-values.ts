// Conversions between values of the domain and columns, for several stores.

/** Returns milliseconds since the Unix epoch. Null stays null. */
export function toMs(date: Date | null): number | null {
  return date === null ? null : date.getTime();
}

/** Null stays null. */
export function toDate(ms: number | null): Date | null {
  return ms === null ? null : new Date(ms);
}

/** 0 and 1 become a boolean. Any other value stays, so that the reader of the row sees the damage. */
export function toFlag(value: number): boolean {
  return value === 0 || value === 1 ? value === 1 : (value as unknown as boolean);
}

// Every event passes through these two, and most widgets and events have no labels: the shortcut skips JSON for them.

export function serializeLabels(labels: readonly string[]): string {
  return labels.length === 0 ? '[]' : JSON.stringify(labels);
}

export function parseLabels(text: string): readonly string[] {
  return text === '[]' ? [] : JSON.parse(text);
}

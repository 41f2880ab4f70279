import type { IconNode } from 'lucide';
import { h } from 'preact';

interface IconProperties {
  /** An icon of the package `lucide`. */
  readonly of: IconNode;
  /** In pixels. Default: 16. */
  readonly size?: number;
}

/** A drawing beside a word. Screen readers skip it: the word says everything. */
export function Icon({ of, size = 16 }: IconProperties) {
  return (
    <svg class="icon" width={size} height={size} viewBox="0 0 24 24" aria-hidden="true" focusable="false">
      {of.map(([tag, attributes], index) => h(tag, { key: index, ...attributes }))}
    </svg>
  );
}

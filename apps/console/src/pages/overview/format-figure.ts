import { formatCount } from '../../parts/format.ts';

/** A figure with the digits that matter: `1,482`, `17.2`, `0.07`. */
export function formatFigure(value: number): string {
  if (Number.isInteger(value) || value >= 100) return formatCount(Math.round(value));
  return value.toFixed(value < 0.1 ? 2 : 1);
}

import { formatCount, formatDecimal } from '../../parts/format.ts';

/** A figure with the digits that matter: `1,482`, `17.2`, `0.07`. */
export function formatFigure(value: number): string {
  if (Number.isInteger(value) || value >= 100) return formatCount(Math.round(value));
  return formatDecimal(value, value < 0.1 ? 2 : 1);
}

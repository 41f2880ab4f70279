import type { Values } from './last-hour.ts';

/** The size of a drawing, in its own units: it is stretched to the width of its tile. */
export const drawing = { width: 240, height: 56 } as const;

/** Keeps the stroke of the highest value inside the drawing. */
const margin = 4;

/** The data of two SVG paths. */
interface DrawnLine {
  readonly line: string;
  /** The area between the line and the lower edge. */
  readonly area: string;
}

/**
 * Returns the lines through the known values, from 0 at the lower edge to the highest value: one for each stretch
 * without unknown values.
 *
 * Example: `[1, 2, null, 4]` gives two lines.
 */
export function drawLines(values: Values): DrawnLine[] {
  const most = readMost(values) ?? 0;
  const step = drawing.width / Math.max(1, values.length - 1);
  const lines: DrawnLine[] = [];
  let start = 0;
  for (const [index, value] of [...values, null].entries()) {
    if (value !== null) continue;
    const points = values.slice(start, index).map((known, offset) => {
      return `${round((start + offset) * step)} ${round(toHeight(known ?? 0, most))}`;
    });
    // A single point is a short line: a path of one point draws nothing.
    const line = `M${points.join('L')}${points.length === 1 ? 'h1' : ''}`;
    if (points.length > 0) lines.push({ line, area: `${line}V${drawing.height}H${round(start * step)}Z` });
    start = index + 1;
  }
  return lines;
}

/** Returns the highest known value, or null if nothing is known. */
export function readMost(values: Values): number | null {
  const known = values.filter((value) => value !== null);
  return known.length === 0 ? null : Math.max(...known);
}

function toHeight(value: number, most: number): number {
  return drawing.height - 1 - (most === 0 ? 0 : (value / most) * (drawing.height - 1 - margin));
}

const round = (value: number) => Math.round(value * 10) / 10;

import { formatCount, formatDecimal } from '../../parts/format.ts';
import type { Schemas } from '../../service/service.ts';

/** One value for each point of time. Null: no pod knows it. */
export type Values = readonly (number | null)[];

/** Returns rates and shares instead of counts. All members have one value for each of `timesMs`. */
export function readLastHour(history: Schemas['Overview']['history']) {
  const { intervalSeconds, endsAt, hooksAccepted, hooksRefused, eventsPublished, streamsOpen, personalStreamsOpen } =
    history;
  const last = streamsOpen.length - 1;
  const toRates = (counts: Values) => counts.map((count) => (count === null ? null : count / intervalSeconds));
  return {
    /** When each point ended. */
    timesMs: streamsOpen.map((_, index) => Date.parse(endsAt) - (last - index) * intervalSeconds * 1_000),
    acceptedPerSecond: toRates(hooksAccepted),
    refusedPerSecond: toRates(hooksRefused),
    refusedPercent: hooksRefused.map((refused, index) => toPercent(refused, hooksAccepted[index] ?? null)),
    publishedPerSecond: toRates(eventsPublished),
    /** Without those of consoles. */
    streamsOpen: streamsOpen.map((open, index) => (open === null ? null : open - (personalStreamsOpen[index] ?? 0))),
    consoleStreams: personalStreamsOpen,
  };
}

function toPercent(refused: number | null, accepted: number | null): number | null {
  if (refused === null || accepted === null) return null;
  return refused === 0 ? 0 : (100 * refused) / (refused + accepted);
}

/** Returns the index of the newest point of which something is known, or the last index if nothing is known. */
export function findNewest(values: Values): number {
  const newest = values.findLastIndex((value) => value !== null);
  return newest === -1 ? values.length - 1 : newest;
}

/** A figure with the digits that matter: `1,482`, `17.2`, `0.07`. */
export function formatFigure(value: number): string {
  if (Number.isInteger(value) || value >= 100) return formatCount(Math.round(value));
  return formatDecimal(value, value < 0.1 ? 2 : 1);
}

/** Returns the highest known value, or null if nothing is known. */
export function readMost(values: Values): number | null {
  const known = values.filter((value) => value !== null);
  return known.length === 0 ? null : Math.max(...known);
}

/** The size of a drawing, in its own units: it is stretched to the width of its tile. */
export const drawing = { width: 240, height: 56 } as const;
/** Keeps the stroke of the highest value inside the drawing. */
const margin = 4;

/**
 * Returns the data of the SVG paths through the known values, from 0 at the lower edge to the highest value: a line,
 * and the area below it, for each stretch without unknown values.
 *
 * Example: `[1, 2, null, 4]` gives two lines.
 */
export function drawLines(values: Values): { readonly line: string; readonly area: string }[] {
  const { width, height } = drawing;
  const most = readMost(values) ?? 0;
  const step = width / Math.max(1, values.length - 1);
  const toHeight = (value: number) => height - 1 - (most === 0 ? 0 : (value / most) * (height - 1 - margin));
  const lines: { line: string; area: string }[] = [];
  let start = 0;
  for (const [index, value] of [...values, null].entries()) {
    if (value !== null) continue;
    const points = values.slice(start, index).map((known, offset) => {
      return `${round((start + offset) * step)} ${round(toHeight(known ?? 0))}`;
    });
    // A single point is a short line: a path of one point draws nothing.
    const line = `M${points.join('L')}${points.length === 1 ? 'h1' : ''}`;
    if (points.length > 0) lines.push({ line, area: `${line}V${height}H${round(start * step)}Z` });
    start = index + 1;
  }
  return lines;
}

const round = (value: number) => Math.round(value * 10) / 10;

/** The size of the bars of a day, in pixels. */
export const bars = { width: 95, height: 16, step: 4 } as const;

/** Returns a bar for each hour, in pixels: `refused` stands on `accepted`. The highest bar fills the drawing. */
export function drawBars(accepted: readonly number[], refused: readonly number[]) {
  const most = Math.max(1, ...accepted.map((count, index) => count + (refused[index] ?? 0)));
  // The smallest number is still seen.
  const toHeight = (count: number) => (count === 0 ? 0 : Math.max(1.5, (count / most) * bars.height));
  return accepted.map((count, index) => {
    const refusedHeight = toHeight(refused[index] ?? 0);
    const acceptedHeight = Math.min(toHeight(count), bars.height - refusedHeight);
    return { x: index * bars.step, accepted: acceptedHeight, refused: refusedHeight };
  });
}

/** Publishing usually takes less than this, in milliseconds. */
const usualDelayMs = 10_000;

/** Returns since when a change of a widget has been waiting to be published, or null if that is not long. */
export function readPublishingDelay({
  at,
  outboxesWaitingSince: since,
}: Pick<Schemas['Overview'], 'at' | 'outboxesWaitingSince'>): string | null {
  return since !== null && Date.parse(at) - Date.parse(since) > usualDelayMs ? since : null;
}

export function countProblems(problems: number, urgent: number): string {
  if (problems === 0) return 'All systems normal';
  if (problems === 1) return urgent === 1 ? '1 urgent problem: users are affected' : '1 problem, not urgent';
  return `${problems} problems, ${urgent === 0 ? 'not urgent' : `${urgent} urgent: users are affected`}`;
}

/** Says what flows. Null: unknown. Empty if nothing is known. */
export function describeFlow(acceptedPerSecond: string | null, p95: string | null): string {
  const accepted = acceptedPerSecond === '0' ? 'No hooks right now.' : `Accepting ${acceptedPerSecond} hooks/s.`;
  const delay = p95 === null ? '' : `95 of 100 events reach the open streams within ${p95}.`;
  return `${acceptedPerSecond === null ? '' : accepted} ${delay}`.trim();
}

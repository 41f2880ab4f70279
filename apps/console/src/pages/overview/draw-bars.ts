/** The size of the bars of a day, in pixels. */
export const bars = { width: 95, height: 16 } as const;

interface Bar {
  readonly x: number;
  readonly accepted: number;
  /** It stands on the part that was accepted. */
  readonly refused: number;
}

const step = 4;

/** Returns a bar for each hour: the heights of its two parts in pixels. The highest bar fills the drawing. */
export function drawBars(accepted: readonly number[], refused: readonly number[]): Bar[] {
  const most = Math.max(1, ...accepted.map((count, index) => count + (refused[index] ?? 0)));
  return accepted.map((count, index) => {
    const refusedHeight = toHeight(refused[index] ?? 0, most);
    return {
      x: index * step,
      accepted: Math.min(toHeight(count, most), bars.height - refusedHeight),
      refused: refusedHeight,
    };
  });
}

/** The smallest number is still seen. */
function toHeight(count: number, most: number): number {
  return count === 0 ? 0 : Math.max(1.5, (count / most) * bars.height);
}

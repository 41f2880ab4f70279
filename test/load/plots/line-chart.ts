/** One line of a chart. */
export interface Series {
  readonly name: string;
  readonly points: readonly { readonly x: number; readonly y: number }[];
}

export interface LineChart {
  readonly title: string;
  readonly xLabel: string;
  readonly yLabel: string;
  readonly series: readonly Series[];
  /** The x values with a label on the axis. The axis is logarithmic. */
  readonly xTicks: readonly { readonly x: number; readonly label: string }[];
}

const size = { width: 640, height: 360, left: 64, right: 150, top: 40, bottom: 48 } as const;
/** Distinguishable also without colour vision (Okabe and Ito). */
const colors = ['#0072b2', '#d55e00', '#009e73', '#cc79a7', '#e69f00'];
const yTickCount = 5;

/** Draws the chart as the text of an SVG file. The y axis begins at 0. */
export function drawLineChart({ title, xLabel, yLabel, series, xTicks }: LineChart): string {
  const points = series.flatMap((one) => one.points);
  const xs = [...points.map(({ x }) => x), ...xTicks.map(({ x }) => x)];
  const yMax = roundUp(Math.max(...points.map(({ y }) => y)));
  const toX = createLogScale([Math.min(...xs), Math.max(...xs)], [size.left, size.width - size.right]);
  const toY = (y: number) => size.height - size.bottom - (y / yMax) * (size.height - size.bottom - size.top);
  const bottom = size.height - size.bottom;
  const right = size.width - size.right;
  const yTicks = Array.from({ length: yTickCount + 1 }, (_, index) => (yMax / yTickCount) * index);
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${size.width} ${size.height}" font-family="sans-serif" font-size="12">`,
    `<title>${escapeXml(title)}</title>`,
    `<rect width="${size.width}" height="${size.height}" fill="#fff"/>`,
    text(size.left, 22, title, 'font-size="14" font-weight="bold"'),
    ...yTicks.flatMap((y) => [
      `<path d="M${size.left} ${toPixel(toY(y))}H${right}" stroke="#ddd"/>`,
      text(size.left - 6, toY(y) + 4, String(Number(y.toPrecision(3))), 'text-anchor="end"'),
    ]),
    ...xTicks.map(({ x, label }) => text(toX(x), bottom + 18, label, 'text-anchor="middle"')),
    text((size.left + right) / 2, size.height - 8, xLabel, 'text-anchor="middle"'),
    text(-(size.top + bottom) / 2, 16, yLabel, 'text-anchor="middle" transform="rotate(-90)"'),
    ...series.flatMap((one, index) => drawSeries(one, index, { toX, toY })),
    '</svg>',
    '',
  ].join('\n');
}

type Scale = (value: number) => number;

function drawSeries({ name, points }: Series, index: number, { toX, toY }: { toX: Scale; toY: Scale }): string[] {
  const color = colors[index % colors.length] ?? '#000';
  const sorted = [...points].sort((a, b) => a.x - b.x);
  const path = sorted.map(({ x, y }) => `${toPixel(toX(x))} ${toPixel(toY(y))}`).join('L');
  const legendY = size.top + 12 + index * 20;
  const legendX = size.width - size.right + 16;
  return [
    `<path d="M${path}" fill="none" stroke="${color}" stroke-width="2"/>`,
    ...sorted.map(({ x, y }) => `<circle cx="${toPixel(toX(x))}" cy="${toPixel(toY(y))}" r="3" fill="${color}"/>`),
    `<path d="M${legendX} ${legendY - 4}h18" stroke="${color}" stroke-width="2"/>`,
    text(legendX + 24, legendY, name),
  ];
}

function createLogScale([from, to]: readonly [number, number], [low, high]: readonly [number, number]): Scale {
  const range = Math.log(to) - Math.log(from) || 1;
  return (value) => low + ((Math.log(value) - Math.log(from)) / range) * (high - low);
}

/** Returns the next higher of 1, 2, 3, 4, 5 and 8 times a power of ten. */
function roundUp(value: number): number {
  const power = 10 ** Math.floor(Math.log10(value));
  const factor = [1, 2, 3, 4, 5, 8, 10].find((one) => one * power >= value) ?? 10;
  return factor * power;
}

function text(x: number, y: number, content: string, attributes = ''): string {
  return `<text x="${toPixel(x)}" y="${toPixel(y)}" ${attributes}>${escapeXml(content)}</text>`;
}

function toPixel(value: number): number {
  return Math.round(value * 10) / 10;
}

function escapeXml(content: string): string {
  return content.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
}

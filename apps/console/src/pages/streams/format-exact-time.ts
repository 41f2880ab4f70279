const exactTime = new Intl.DateTimeFormat('en', {
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
  fractionalSecondDigits: 3,
  hourCycle: 'h23',
});

/** `14:05:59.123`, in the time zone of the browser. */
export function formatExactTime(atMs: number): string {
  return exactTime.format(atMs);
}

/** Where a stream is asked to begin, and what it says of it in its first events. */
export interface StreamStartCase {
  readonly name: string;
  readonly header?: string | string[];
  /** Behind the `?` of the address. */
  readonly query?: string;
  /** Why it could not begin there. */
  readonly gap: 'malformed' | 'epoch-changed' | 'ahead-of-stream' | null;
  readonly resumed: boolean;
}

const none = { gap: null, resumed: false } as const;
const resumed = { gap: null, resumed: true } as const;
const malformed = { gap: 'malformed', resumed: false } as const;
const otherEpoch = { gap: 'epoch-changed', resumed: false } as const;
const ahead = { gap: 'ahead-of-stream', resumed: false } as const;

/** `{epoch}` and `{cursor}` stand for those of the running service. */
const ids: readonly (readonly [string, Omit<StreamStartCase, 'name'>])[] = [
  ['garbage', malformed],
  ['0', malformed],
  ['-1', malformed],
  ['EARLIEST', malformed],
  ['latest', malformed],
  ['null', malformed],
  ['__proto__', malformed],
  ['{"$gt":""}', malformed],
  ['..', malformed],
  ['{epoch}', malformed],
  ['{epoch}.1', malformed],
  ['{epoch}.1.2.3', malformed],
  ['{epoch}.1.x', malformed],
  ['{epoch}.01.1', malformed],
  ['{epoch}.-1.1', malformed],
  ['{epoch}.1e3.1', malformed],
  ['{epoch}.0x1.1', malformed],
  ['{epoch}.1.1\u00e4', malformed],
  ['{epoch}.9007199254740993.1', malformed],
  ['{epoch}.99999999999999999999.1', malformed],
  ['UPPER.1.1', malformed],
  [`${'e'.repeat(33)}.1.1`, malformed],
  ['1'.repeat(6_000), malformed],
  ['zzzz.1.1', otherEpoch],
  [`${'e'.repeat(32)}.9007199254740991.9007199254740991`, otherEpoch],
  ['{epoch}.9007199254740991.9007199254740991', ahead],
  ['{epoch}.9007199254740991.0', ahead],
  ['{epoch}.0.9007199254740991', ahead],
  ['earliest', resumed],
  ['{cursor}', resumed],
];

const others: readonly StreamStartCase[] = [
  { name: 'nothing', ...none },
  { name: 'an empty header', header: '', ...none },
  { name: 'an empty parameter', query: 'lastEventId=', ...none },
  { name: 'unknown parameters', query: 'x=1&__proto__=1&lasteventid=garbage&lastEventId[]=garbage&%zz=%zz', ...none },
  { name: 'the header twice', header: ['{cursor}', '{cursor}'], ...malformed },
  { name: 'the parameter twice, the first counts', query: 'lastEventId={cursor}&lastEventId=garbage', ...resumed },
  { name: 'the header before the parameter', header: '{cursor}', query: 'lastEventId=garbage', ...resumed },
  { name: 'a blank behind', query: 'lastEventId={cursor}%20', ...malformed },
  { name: 'NUL behind', query: 'lastEventId={cursor}%00', ...malformed },
  {
    name: 'an event of the sender',
    query: 'lastEventId=x%0A%0Aevent:%20widget.retired%0Adata:%20{}%0A%0A',
    ...malformed,
  },
  { name: 'carriage returns', query: 'lastEventId=%0D%0Devent:%20widget.retired%0Ddata:%20{}%0D%0D', ...malformed },
  { name: 'no UTF-8', query: 'lastEventId=%ff%fe', ...malformed },
  { name: 'a broken escape', query: 'lastEventId=%', ...malformed },
  { name: 'other digits', query: 'lastEventId={epoch}.%D9%A1.1', ...malformed },
];

/** `GET /api/v1/events/{token}` with a good token: `Last-Event-ID` and `lastEventId`. */
export const streamStarts: readonly StreamStartCase[] = [
  ...ids.flatMap(([id, expected]) => [
    { name: `header ${id.slice(0, 50)}`, header: id, ...expected },
    { name: `parameter ${id.slice(0, 50)}`, query: `lastEventId=${encodeURIComponent(id)}`, ...expected },
  ]),
  ...others,
];

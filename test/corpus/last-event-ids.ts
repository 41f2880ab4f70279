/** The position that a client requests, and the first messages of the stream. */
export interface LastEventIdCase {
  readonly name: string;
  readonly header?: string | string[];
  /** The query string, without the `?`. */
  readonly query?: string;
  /** The reason in `stream.gap`, or null when the stream sends no gap. */
  readonly gap: 'malformed' | 'epoch-changed' | 'ahead-of-stream' | null;
  readonly resumed: boolean;
}

const startsNow = { gap: null, resumed: false } as const;
const resumed = { gap: null, resumed: true } as const;
const malformed = { gap: 'malformed', resumed: false } as const;
const otherEpoch = { gap: 'epoch-changed', resumed: false } as const;
const ahead = { gap: 'ahead-of-stream', resumed: false } as const;

/** `{epoch}` and `{cursor}` stand for those of the running service. */
const malformedIds =
  'garbage 0 -1 EARLIEST latest null __proto__ {"$gt":""} .. {epoch} {epoch}.1 {epoch}.1.2.3 {epoch}.1.x {epoch}.01.1 {epoch}.-1.1 {epoch}.1e3.1 {epoch}.0x1.1 {epoch}.1.1\u00e4 {epoch}.9007199254740993.1 {epoch}.99999999999999999999.1 UPPER.1.1';
const ids: readonly (readonly [string, Omit<LastEventIdCase, 'name'>])[] = [
  ...malformedIds.split(' ').map((id) => [id, malformed] as const),
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

const others: readonly LastEventIdCase[] = [
  { name: 'no header and no parameter', ...startsNow },
  { name: 'an empty header', header: '', ...startsNow },
  { name: 'an empty parameter', query: 'lastEventId=', ...startsNow },
  {
    name: 'unknown parameters',
    query: 'x=1&__proto__=1&lasteventid=garbage&lastEventId[]=garbage&%zz=%zz',
    ...startsNow,
  },
  { name: 'two headers', header: ['{cursor}', '{cursor}'], ...malformed },
  { name: 'two parameters, the first valid', query: 'lastEventId={cursor}&lastEventId=garbage', ...resumed },
  { name: 'a valid header and an invalid parameter', header: '{cursor}', query: 'lastEventId=garbage', ...resumed },
  { name: 'a trailing space', query: 'lastEventId={cursor}%20', ...malformed },
  { name: 'a trailing NUL', query: 'lastEventId={cursor}%00', ...malformed },
  { name: 'injected line feeds', query: 'lastEventId=x%0A%0Aevent:%20widget.retired%0Adata:%20{}%0A%0A', ...malformed },
  {
    name: 'an injected SSE event with carriage returns',
    query: 'lastEventId=%0D%0Devent:%20widget.retired%0Ddata:%20{}%0D%0D',
    ...malformed,
  },
  { name: 'bytes that are not UTF-8', query: 'lastEventId=%ff%fe', ...malformed },
  { name: 'an invalid percent-encoding', query: 'lastEventId=%', ...malformed },
  { name: 'Arabic digits', query: 'lastEventId={epoch}.%D9%A1.1', ...malformed },
];

/** `GET /api/v1/events/{token}` with a valid token: `Last-Event-ID` and `lastEventId`. */
export const lastEventIds: readonly LastEventIdCase[] = [
  ...ids.flatMap(([id, expected]) => [
    { name: `header ${id.slice(0, 50)}`, header: id, ...expected },
    { name: `parameter ${id.slice(0, 50)}`, query: `lastEventId=${encodeURIComponent(id)}`, ...expected },
  ]),
  ...others,
];

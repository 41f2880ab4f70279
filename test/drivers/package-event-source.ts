import { EventSource } from 'eventsource';

/** A client as its users write it, with the `eventsource` package: what it was told, and whether it gave up. */
export interface PackageEventSource {
  /** The numbers of the events' positions, in the order in which they came. */
  readonly seqs: readonly number[];
  /** How often it was told that a stream has begun. */
  readonly opened: number;
  /** CLOSED: it will not come back by itself. */
  readonly isClosed: boolean;
  close(): void;
}

const widgetEvents = ['widget.created', 'widget.updated', 'widget.retired'];

export function openPackageEventSource(url: string): PackageEventSource {
  const source = new EventSource(url);
  const seqs: number[] = [];
  let opened = 0;
  for (const name of widgetEvents) {
    source.addEventListener(name, (event) => seqs.push(Number(event.lastEventId.split('.')[2])));
  }
  source.addEventListener('stream.open', () => {
    opened += 1;
  });
  return {
    seqs,
    get opened() {
      return opened;
    },
    get isClosed() {
      return source.readyState === EventSource.CLOSED;
    },
    close: () => source.close(),
  };
}

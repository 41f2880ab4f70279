import { EventSource } from 'eventsource';

/** A client that uses the npm package `eventsource`, as users write it. */
export interface PackageEventSource {
  /** The seqs of the received events, in order of arrival. */
  readonly seqs: readonly number[];
  /** How many `stream.open` messages it received. */
  readonly opened: number;
  /** True if its state is CLOSED: it will not reconnect by itself. */
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

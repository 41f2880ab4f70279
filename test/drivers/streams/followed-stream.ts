import { readStream } from '@widget-service/client/stream/read-stream.ts';
import { isWidgetEvent } from '@widget-service/client/stream/stream-event.ts';

/** A stream that the client library reads, and that is judged as it goes. */
export interface FollowedStream {
  /** Resolves when the stream is open for the first time. */
  readonly opened: Promise<void>;
  /** Resolves to what ended the stream. */
  readonly ended: Promise<unknown>;
  /** How many events of widgets it has got. */
  readonly events: number;
  /** What it got twice, and versions that came in the wrong order without a gap before. */
  readonly mistakes: readonly string[];
  close(): void;
}

export function followStream(url: string): FollowedStream {
  const closed = new AbortController();
  const ids = new Set<string>();
  const mistakes: string[] = [];
  let versions = new Map<string, number>();
  let onOpen: () => void = () => undefined;
  const opened = new Promise<void>((resolve) => {
    onOpen = resolve;
  });
  const read = async () => {
    for await (const event of readStream(url, { signal: closed.signal })) {
      if (event.type === 'stream.open') onOpen();
      if (event.type === 'stream.gap') versions = new Map();
      if (!isWidgetEvent(event)) continue;
      if (ids.has(event.id)) mistakes.push(`got event ${event.id} twice`);
      ids.add(event.id);
      const { widget } = event.data;
      if (widget === null) continue;
      const known = versions.get(widget.id);
      // Without a gap, the next event of a widget has exactly the next version.
      if (known !== undefined && widget.version !== known + 1) {
        mistakes.push(`version ${widget.version} of ${widget.id} came after ${known}`);
      }
      versions.set(widget.id, widget.version);
    }
  };
  const ended = read().catch((error: unknown) => error);
  return {
    opened,
    ended,
    get events() {
      return ids.size;
    },
    mistakes,
    close: () => closed.abort(),
  };
}

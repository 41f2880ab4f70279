import { parsePosition } from '@widget-service/shared/domain/sse-id.ts';
import type { ClientView } from './client-view.ts';
import type { ClientRecord, ReceivedEvent, StreamRecord } from './history.ts';
import { SimulatedSocket } from './simulated-socket.ts';

const firstRetryMs = 1_000;

/** A client like a browser's EventSource: it reads, remembers the last id, and resumes with it. */
export class Subscriber {
  readonly record: ClientRecord;
  readonly #world: ClientView;
  #lastEventId: string | null = null;
  #retryMs = firstRetryMs;
  #socket: SimulatedSocket | null = null;
  #stream: StreamRecord | null = null;
  #text = '';
  #isStalled = false;
  #isAway = false;

  constructor(world: ClientView, isFiltered: boolean) {
    this.#world = world;
    this.record = { isFiltered, streams: [] };
  }

  get lastEventId(): string | null {
    return this.#lastEventId;
  }

  connect(): void {
    const { clients } = this.#world;
    if (this.#socket !== null || this.#isAway) return;
    const stream: StreamRecord = {
      requested: this.#lastEventId,
      openedAtMs: this.#world.scheduler.nowMs,
      gap: null,
      cursor: null,
      begunAtMs: 0,
      events: [],
    };
    const socket: SimulatedSocket = new SimulatedSocket(clients, {
      onData: (text) => {
        if (this.#socket === socket) this.#read(text);
      },
      onClose: () => this.#scheduleReconnect(socket),
    });
    socket.stall(this.#isStalled);
    this.#socket = socket;
    this.#stream = stream;
    this.#text = '';
    this.record.streams.push(stream);
    const { isFiltered } = this.record;
    const podName = this.#world.pickPod();
    this.#world.sockets.set(socket, podName);
    void this.#world
      .request(podName, (pod) => pod.openStream(stream.requested, isFiltered, socket))
      .then((outcome) => {
        if (outcome.status !== 'ok' || !outcome.value) this.#scheduleReconnect(socket);
      });
  }

  /** Stops reading for a while. */
  stall(isStalled: boolean): void {
    this.#isStalled = isStalled;
    this.#socket?.stall(isStalled);
  }

  /** Leaves without closing the connection, and comes back. */
  leave(isAway: boolean): void {
    this.#isAway = isAway;
    if (isAway) this.#drop();
    else this.connect();
  }

  #scheduleReconnect(socket: SimulatedSocket): void {
    if (this.#socket !== socket) return;
    this.#drop();
    this.#world.clients.after(this.#retryMs, () => this.connect());
  }

  #drop(): void {
    this.#socket?.leave();
    if (this.#socket !== null) this.#world.sockets.delete(this.#socket);
    this.#socket = null;
    this.#stream = null;
  }

  #read(text: string): void {
    const blocks = `${this.#text}${text}`.split('\n\n');
    this.#text = blocks.pop() ?? '';
    for (const block of blocks) this.#dispatch(block);
  }

  #dispatch(block: string): void {
    const fields = new Map<string, string>();
    for (const line of block.split('\n')) {
      const colon = line.indexOf(':');
      if (colon > 0) fields.set(line.slice(0, colon), line.slice(colon + 1).trimStart());
    }
    const id = fields.get('id');
    const event = fields.get('event');
    const data = fields.get('data') ?? '{}';
    const retry = fields.get('retry');
    if (id !== undefined) this.#lastEventId = id;
    if (retry !== undefined) this.#retryMs = Number(retry);
    const stream = this.#stream;
    if (stream === null || event === undefined) return;
    this.#world.trace(`client: ${event} ${id ?? ''} ${event.startsWith('stream.') ? data : ''}`);
    if (event === 'stream.gap') {
      const { reason } = JSON.parse(data) as { reason: string };
      stream.gap = { reason, atMs: this.#world.scheduler.nowMs };
    } else if (event === 'stream.open') {
      stream.cursor = id ?? null;
      stream.begunAtMs = this.#world.scheduler.nowMs;
    } else if (event.startsWith('widget.')) stream.events.push(parseReceivedEvent(id ?? '', data));
  }
}

function parseReceivedEvent(id: string, data: string): ReceivedEvent {
  const position = parsePosition(id) ?? { epoch: '', ms: 0, seq: 0 };
  const event = JSON.parse(data) as { id: string; subject?: string; data: { widget: { version: number } | null } };
  return {
    ...position,
    eventId: event.id,
    widgetId: event.subject ?? null,
    version: event.data.widget?.version ?? null,
  };
}

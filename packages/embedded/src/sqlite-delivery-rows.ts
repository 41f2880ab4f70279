import type { RowKind } from '@widget-service/shared/adapters/row-reader.ts';
import { deliverySummaryShape, ledgerRowShape, payloadShape } from '@widget-service/shared/adapters/row-shapes.ts';
import type { WidgetState } from '@widget-service/shared/domain/widget.ts';
import type {
  DeadReason,
  DeliveryEffect,
  DeliveryState,
  DeliverySummary,
  LedgerRow,
} from '@widget-service/shared/ports/delivery-ledger.ts';
import { toDate, toFlag } from './sqlite-values.ts';

export interface SummaryRow {
  readonly event_id: string;
  readonly integration_id: string;
  readonly kind: string;
  readonly occurred_at: string;
  readonly widget_id: string | null;
  readonly received_at: number;
  readonly state: DeliveryState;
  readonly attempts: number;
  readonly duplicates: number;
  readonly reason: DeadReason | null;
  readonly published_at: number | null;
  readonly position_epoch: string | null;
  readonly position_ms: number | null;
  readonly position_seq: number | null;
  readonly effect_version: number | null;
  readonly effect_state: WidgetState | null;
  readonly effect_state_changed: number | null;
  readonly effect_late: number | null;
}

export interface DeliveryRow extends SummaryRow {
  readonly payload: string | null;
}

const common = { of: 'deliveries', identify: (row: SummaryRow) => row.event_id };

export const ledgerRows: RowKind<DeliveryRow, LedgerRow> = { ...common, convert: toLedgerRow, shape: ledgerRowShape };
export const payloadRows = { ...common, convert: toPayload, shape: payloadShape };
export const summaryRows: RowKind<SummaryRow, DeliverySummary> = {
  ...common,
  convert: toSummary,
  shape: deliverySummaryShape,
};

function toPayload({ event_id: eventId, payload }: DeliveryRow) {
  return { eventId, payload: String(payload) };
}

function toLedgerRow(row: DeliveryRow): LedgerRow {
  return { ...toSummary(row), payload: row.payload };
}

function toSummary(row: SummaryRow): DeliverySummary {
  const { position_epoch: epoch, position_ms: ms, position_seq: seq } = row;
  return {
    eventId: row.event_id,
    integrationId: row.integration_id,
    kind: row.kind,
    occurredAt: row.occurred_at,
    widgetId: row.widget_id,
    receivedAt: new Date(row.received_at),
    state: row.state,
    attempts: row.attempts,
    duplicates: row.duplicates,
    reason: row.reason,
    publishedAt: toDate(row.published_at),
    position: epoch === null || ms === null || seq === null ? null : { epoch, ms, seq },
    effect: toEffect(row),
  };
}

function toEffect({ effect_version: version, effect_state: state, ...row }: SummaryRow): DeliveryEffect | null {
  if (version === null || state === null) return null;
  return { version, state, stateChanged: toFlag(row.effect_state_changed ?? 0), late: toFlag(row.effect_late ?? 0) };
}

import type { Signal } from '@preact/signals';
import { Fragment } from 'preact';
import { Badge, DeliveryState } from '../../parts/badges.tsx';
import { ClockTime } from '../../parts/time.tsx';
import { changeQuery, query } from '../../router/address.ts';
import { Link } from '../../router/link.tsx';
import type { Schemas } from '../../service/service.ts';
import { texts } from '../../texts/texts.ts';
import { describeRefusal } from './describe-refusal.ts';
import type { HookRow } from './hook-rows.ts';
import { HookWidget } from './hook-widget.tsx';
import { RefusalDetails } from './refusal-details.tsx';

type Delivery = Schemas['Delivery'];
type Refusal = Schemas['Refusal'];

interface HookTableProperties {
  readonly integrationId: string;
  readonly rows: readonly HookRow[];
  /** The event ids of the dead deliveries that are selected. */
  readonly selected: Signal<ReadonlySet<string>>;
}

/** Hooks by time. A delivery leads to its page; a refused hook opens its details below its row. */
export function HookTable({ integrationId, rows, selected }: HookTableProperties) {
  const { hooks } = texts;
  const dead = rows.flatMap(({ key, delivery }) => (delivery?.state === 'dead' ? [key] : []));
  const hasReasons = rows.some(({ delivery }) => delivery === null || delivery.reason !== null);
  const isRefusedOnly = rows.every(({ refusal }) => refusal !== null);
  const columnCount = 4 + (dead.length > 0 ? 1 : 0) + (hasReasons ? 1 : 0);
  const opened = query.value.get('refusal');
  return (
    <table class="table hook-table" aria-label={hooks.list}>
      <thead>
        <tr>
          {dead.length === 0 ? null : (
            <th scope="col">
              <SelectAll dead={dead} selected={selected} />
            </th>
          )}
          <th scope="col">{hooks.state}</th>
          {isRefusedOnly ? (
            <th scope="col" colSpan={2}>
              {hooks.webhookId}
            </th>
          ) : (
            <>
              <th scope="col">{hooks.widget}</th>
              <th scope="col">{hooks.kind}</th>
            </>
          )}
          {hasReasons ? <th scope="col">{hooks.reason}</th> : null}
          <th scope="col" class="number">
            {hooks.receivedAt}
          </th>
        </tr>
      </thead>
      <tbody>
        {rows.map(({ key, at, delivery, refusal }) => (
          <Fragment key={key}>
            <tr class="hook-row" tabIndex={-1} data-row>
              {dead.length === 0 ? null : (
                <td class="hook-select">
                  {delivery?.state === 'dead' ? <SelectOne delivery={delivery} selected={selected} /> : null}
                </td>
              )}
              {delivery === null ? (
                <RefusalCells refusal={refusal} isOpen={opened === key} />
              ) : (
                <DeliveryCells delivery={delivery} integrationId={integrationId} hasReasons={hasReasons} />
              )}
              <td class="hook-time number">
                <ClockTime at={at} />
              </td>
            </tr>
            {refusal === null || opened !== key ? null : (
              <tr class="hook-details">
                <td id={`refusal-${key}`} colSpan={columnCount}>
                  <RefusalDetails refusal={refusal} />
                </td>
              </tr>
            )}
          </Fragment>
        ))}
      </tbody>
    </table>
  );
}

interface DeliveryCellsProperties {
  readonly delivery: Delivery;
  readonly integrationId: string;
  readonly hasReasons: boolean;
}

function DeliveryCells({ delivery, integrationId, hasReasons }: DeliveryCellsProperties) {
  const { hooks } = texts;
  const { eventId, state, widgetId, kind, reason } = delivery;
  return (
    <>
      <td class="hook-state">
        <DeliveryState state={state} />
      </td>
      <th scope="row" class="hook-name" dir="auto">
        <Link to={`/hooks/${integrationId}/deliveries/${eventId}`} class="row-link">
          <HookWidget id={widgetId} />
        </Link>
      </th>
      <td class="hook-kind" dir="auto">
        {kind}
      </td>
      {hasReasons ? (
        <td class="hook-reason" title={reason === null ? undefined : hooks.reasons[reason]}>
          {reason === null ? null : hooks.shortReasons[reason]}
        </td>
      ) : null}
    </>
  );
}

/** A refused hook names no widget that the service knows: only the id of its sender. */
function RefusalCells({ refusal, isOpen }: { readonly refusal: Refusal; readonly isOpen: boolean }) {
  const { hooks } = texts;
  const { requestId, webhookId } = refusal;
  const reason = describeRefusal(refusal);
  return (
    <>
      <td class="hook-state">
        <Badge tone="warning">{hooks.states.refused}</Badge>
      </td>
      <th scope="row" class="hook-name" colSpan={2} dir="auto">
        <button
          type="button"
          class="row-link"
          aria-expanded={isOpen}
          aria-controls={isOpen ? `refusal-${requestId}` : undefined}
          onClick={() => changeQuery({ refusal: isOpen ? null : requestId })}
        >
          {webhookId === null ? (
            <span class="muted">{hooks.noWebhookId}</span>
          ) : (
            <>
              <span class="visually-hidden">{hooks.webhookId} </span>
              <code>{webhookId}</code>
            </>
          )}
        </button>
      </th>
      <td class="hook-reason" title={reason}>
        {reason}
      </td>
    </>
  );
}

interface SelectAllProperties {
  /** The event ids of the dead deliveries on the page. */
  readonly dead: readonly string[];
  readonly selected: Signal<ReadonlySet<string>>;
}

function SelectAll({ dead, selected }: SelectAllProperties) {
  return (
    <input
      type="checkbox"
      aria-label={texts.hooks.selectAll}
      checked={dead.every((eventId) => selected.value.has(eventId))}
      onChange={({ currentTarget }) => (selected.value = new Set(currentTarget.checked ? dead : []))}
    />
  );
}

interface SelectOneProperties {
  readonly delivery: Delivery;
  readonly selected: Signal<ReadonlySet<string>>;
}

function SelectOne({ delivery: { eventId }, selected }: SelectOneProperties) {
  return (
    <input
      type="checkbox"
      aria-label={`${texts.hooks.select}: ${eventId}`}
      checked={selected.value.has(eventId)}
      onChange={({ currentTarget }) => {
        const others = [...selected.value].filter((other) => other !== eventId);
        selected.value = new Set(currentTarget.checked ? [...others, eventId] : others);
      }}
    />
  );
}

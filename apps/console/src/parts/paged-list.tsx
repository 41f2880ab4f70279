import { type Signal, useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { type Resource, type ResourceOptions, useResource } from '../service/use-resource.ts';
import { texts } from '../texts/texts.ts';
import { Button } from './button.tsx';
import { EmptyState } from './messages.tsx';
import { ReadState } from './read-state.tsx';

export interface Page<Item> {
  readonly items: readonly Item[];
  readonly page: number;
  readonly totalPages: number;
  readonly hasNext: boolean;
}

interface Pages<Data> extends Resource<Data> {
  /** The number of the page, from 1. */
  readonly page: Signal<number>;
}

/** Reads a list of the service page by page. Set `page` to 1 together with an input. See `useResource`. */
export function usePages<Data>(
  read: (query: { readonly page: number }, signal: AbortSignal) => Promise<Data>,
  inputs: readonly unknown[],
  options?: ResourceOptions,
): Pages<Data> {
  const page = useSignal(1);
  const list = useResource((signal) => read({ page: page.value }, signal), [page.value, ...inputs], options);
  return { ...list, page };
}

interface PagedListProperties<Item> {
  readonly list: Pages<Page<Item>>;
  /** The failure of something else that concerns the list. */
  readonly error?: unknown;
  /** What an empty list teaches. Left out for a list that never is empty. */
  readonly empty?: { readonly title: string; readonly text: string };
  /** Gets at least one item. */
  readonly children: (items: readonly Item[]) => ComponentChildren;
}

/** One page of a list, with the way to the others. */
export function PagedList<Item>({ list, error = null, empty, children }: PagedListProperties<Item>) {
  const read = list.data.value;
  return (
    <>
      <ReadState read={list} error={error} />
      {empty !== undefined && read?.items.length === 0 ? <EmptyState {...empty} /> : null}
      {read === null || read.items.length === 0 ? null : children(read.items)}
      {read === null ? null : <Pager {...read} onPage={(next) => (list.page.value = next)} />}
    </>
  );
}

interface PagerProperties {
  readonly page: number;
  readonly totalPages: number;
  readonly hasNext: boolean;
  readonly onPage: (page: number) => void;
}

/** Leads to the next and the previous page of a list. Nothing if there is only one. */
export function Pager({ page, totalPages, hasNext, onPage }: PagerProperties) {
  if (page === 1 && !hasNext) return null;
  return (
    <nav class="pager" aria-label={texts.general.pageOf(page, totalPages)}>
      <Button disabled={page <= 1} onClick={() => onPage(page - 1)}>
        {texts.general.previousPage}
      </Button>
      <span>{texts.general.pageOf(page, totalPages)}</span>
      <Button disabled={!hasNext} onClick={() => onPage(page + 1)}>
        {texts.general.nextPage}
      </Button>
    </nav>
  );
}

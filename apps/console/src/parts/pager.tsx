import { texts } from '../texts/texts.ts';
import { Button } from './button.tsx';

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

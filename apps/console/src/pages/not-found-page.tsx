import { EmptyState } from '../parts/empty-state.tsx';
import { PageHeader } from '../parts/page-header.tsx';
import { texts } from '../texts/texts.ts';

export function NotFoundPage() {
  return (
    <>
      <PageHeader title={texts.general.notFoundTitle} />
      <EmptyState title={texts.general.notFoundTitle} text={texts.general.notFound} />
    </>
  );
}

export function NotPermittedPage({ title }: { readonly title: string }) {
  return (
    <>
      <PageHeader title={title} />
      <EmptyState title={texts.general.notPermittedTitle} text={texts.general.notPermitted} />
    </>
  );
}

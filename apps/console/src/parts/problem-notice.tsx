import { describeProblem } from '../service/problem-text.ts';
import { texts } from '../texts/texts.ts';
import { Button } from './button.tsx';

interface ProblemNoticeProperties {
  /** Null shows nothing. */
  readonly error: unknown;
  readonly onRetry?: () => unknown;
}

/** Says why something failed, with the request id to quote. */
export function ProblemNotice({ error, onRetry }: ProblemNoticeProperties) {
  if (error === null || error === undefined) return null;
  const { title, detail, requestId } = describeProblem(error);
  return (
    <div class="notice notice-error" role="alert">
      <p>
        <strong>{title}.</strong> {detail}
      </p>
      {requestId === null ? null : <p class="muted small selectable">{texts.general.requestId(requestId)}</p>}
      {onRetry === undefined ? null : <Button onClick={() => void onRetry()}>{texts.general.retry}</Button>}
    </div>
  );
}

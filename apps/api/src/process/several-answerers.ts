import type { PeerRequests } from '@widget-service/shared/ports/peer-requests.ts';

/**
 * Lets several parts of a pod answer questions of other pods. Each part knows its own questions: the first answer that
 * is not null counts. A question that no part knows stays unanswered, for example one of a newer version.
 */
export function serveSeveralAnswerers(podRequests: PeerRequests): PeerRequests {
  const answerers = new Set<(question: string) => string | null>();
  let stopServing: (() => void) | null = null;
  return {
    ask: (question, withinMs) => podRequests.ask(question, withinMs),
    serve: (answer) => {
      answerers.add(answer);
      stopServing ??= podRequests.serve((question) => {
        for (const answerer of answerers) {
          const text = answerer(question);
          if (text !== null) return text;
        }
        return null;
      });
      return () => {
        answerers.delete(answer);
        if (answerers.size > 0) return;
        stopServing?.();
        stopServing = null;
      };
    },
  };
}

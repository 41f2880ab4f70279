import type { PodAnswers, PodRequests } from '@widget-service/shared/ports/pod-requests.ts';

/** This process is the only pod, so it asks itself. */
export class InProcessPodRequests implements PodRequests {
  #serving: ((question: string) => string | null) | null = null;

  async ask(question: string): Promise<PodAnswers> {
    if (this.#serving === null) return { asked: 0, answers: [] };
    const answer = callSafely(this.#serving, question);
    return { asked: 1, answers: answer === null ? [] : [answer] };
  }

  serve(answer: (question: string) => string | null): () => void {
    this.#serving = answer;
    return () => {
      if (this.#serving === answer) this.#serving = null;
    };
  }
}

function callSafely(answer: (question: string) => string | null, question: string): string | null {
  try {
    return answer(question);
  } catch {
    return null;
  }
}

/** The result of asking every pod. */
export interface PodAnswers {
  /** How many pods got the question, the asking one included if it serves. */
  readonly asked: number;
  /** One per pod that answered in time, in no particular order. Fewer than `asked` if pods failed, or were too slow. */
  readonly answers: readonly string[];
}

/**
 * Asks all api pods a question at once, for what only the pods themselves know, such as their open streams. Nothing is
 * stored: a pod that cannot reach Redis is neither asked nor counted.
 */
export interface PodRequests {
  /**
   * Sends a text to every pod that serves, and waits until all have answered, for at most `withinMs`. A pod may get the
   * question twice, but counts once. Throws `UnavailableError`; the pods may have got the question then.
   */
  ask(question: string, withinMs: number): Promise<PodAnswers>;
  /**
   * Makes this pod serve: from soon on, it answers every question, also those that it asks itself. Returns a function that
   * ends this. A question for which `answer` throws, or returns null, stays unanswered. A process serves once: a second call
   * replaces the first one.
   */
  serve(answer: (question: string) => string | null): () => void;
}

/** The result of asking every process of a kind. */
export interface PeerAnswers {
  /** How many processes got the question, the asking one included if it serves. */
  readonly asked: number;
  /** One per process that answered in time, in no order. Fewer than `asked` if some failed or were too slow. */
  readonly answers: readonly string[];
}

/**
 * Asks all pods, or all workers, a question at once, for what only the processes themselves know, such as their open
 * streams. Nothing is stored: a process that cannot reach Redis is neither asked nor counted.
 */
export interface PeerRequests {
  /**
   * Sends a text to every process that serves, and waits until all have answered, for at most `withinMs`. A process may
   * get the question twice, but counts once. Throws `UnavailableError`; some may have got the question then.
   */
  ask(question: string, withinMs: number): Promise<PeerAnswers>;
  /**
   * Makes this process serve: from soon on, it answers every question, also those that it asks itself. Returns a
   * function that ends this. A question for which `answer` throws, or returns null, stays unanswered. A process serves
   * once: a second call replaces the first one.
   */
  serve(answer: (question: string) => string | null): () => void;
}

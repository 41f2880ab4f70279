/**
 * Makes the function that returns the result of the first successful `read`. A failure rejects all waiting callers and
 * is not cached.
 */
export function makeReadOnce<Content>(read: () => Promise<Content>): () => Promise<Content> {
  let content: Promise<Content> | null = null;
  return () => {
    content ??= read().catch((error: unknown) => {
      content = null;
      throw error;
    });
    return content;
  };
}

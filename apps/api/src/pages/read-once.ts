/** Reads when it is first asked for, and keeps what was read. A failure is told to whoever waits, and forgotten. */
export function createReadOnce<Content>(read: () => Promise<Content>): () => Promise<Content> {
  let content: Promise<Content> | null = null;
  return () => {
    content ??= read().catch((error: unknown) => {
      content = null;
      throw error;
    });
    return content;
  };
}

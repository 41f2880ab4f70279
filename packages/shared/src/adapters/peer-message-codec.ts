import { z } from 'zod';
import { tryParseJson } from '../domain/json.ts';

const storedQuestion = z.object({ id: z.string(), replyTo: z.string(), question: z.string() });
const storedAnswer = z.object({ id: z.string(), from: z.string(), answer: z.string() });

/** A question to every process of a kind, and where the answers go. The question itself has a version. */
export type PeerQuestion = Readonly<z.infer<typeof storedQuestion>>;
/** The answer of the process `from` to the question with this id. */
export type PeerAnswer = Readonly<z.infer<typeof storedAnswer>>;

/** Returns the text of a question or an answer. */
export function serializePeerMessage(message: PeerQuestion | PeerAnswer): string {
  return JSON.stringify(message);
}

/** Returns null for a text that is no question. */
export function parsePeerQuestion(text: string): PeerQuestion | null {
  return storedQuestion.safeParse(tryParseJson(text)).data ?? null;
}

/** Returns null for a text that is no answer. */
export function parsePeerAnswer(text: string): PeerAnswer | null {
  return storedAnswer.safeParse(tryParseJson(text)).data ?? null;
}

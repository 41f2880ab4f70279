import { z } from 'zod';
import { tryParseJson } from '../domain/json.ts';

const storedQuestion = z.object({ id: z.string(), replyTo: z.string(), question: z.string() });
const storedAnswer = z.object({ id: z.string(), from: z.string(), answer: z.string() });

/** A question to every pod, and where the answers go. The question itself has a version. */
export type PodQuestion = Readonly<z.infer<typeof storedQuestion>>;
/** The answer of the process `from` to the question with this id. */
export type PodAnswer = Readonly<z.infer<typeof storedAnswer>>;

/** Returns the text of a question or an answer. */
export function serializePodMessage(message: PodQuestion | PodAnswer): string {
  return JSON.stringify(message);
}

/** Returns null for a text that is no question. */
export function parsePodQuestion(text: string): PodQuestion | null {
  return storedQuestion.safeParse(tryParseJson(text)).data ?? null;
}

/** Returns null for a text that is no answer. */
export function parsePodAnswer(text: string): PodAnswer | null {
  return storedAnswer.safeParse(tryParseJson(text)).data ?? null;
}

import { type VisibleRepositories } from '@core/domain';
import { type z } from 'zod';
import { problemOf } from '../http/problem.js';

/** What a tool knows about its call. */
export interface ToolCall {
  signal: AbortSignal;
  /** The repositories of the caller's scope; null: all. */
  visible: VisibleRepositories;
}

/** A tool of the Model Context Protocol. Its answer is a text: what a model reads. */
export interface Tool<Input extends z.ZodObject = z.ZodObject> {
  name: string;
  title: string;
  /** When to use it, for the model that chooses among tools. */
  description: string;
  input: Input;
  run(input: z.output<Input>, call: ToolCall): Promise<string>;
}

/** Infers the type of the input from its schema. */
export function tool<Input extends z.ZodObject>(definition: Tool<Input>): Tool {
  return definition;
}

/** Longest answer: some 10,000 tokens. */
export const MAX_ANSWER_CHARACTERS = 30_000;

/** The answer of a call in the form of the protocol; a failed call says what to do. */
export async function answerOf(definition: Tool, input: object, call: ToolCall) {
  try {
    return { content: [text(bounded(await definition.run(input as never, call)))] };
  } catch (error) {
    const { detail, code } = problemOf(error);
    return { content: [text(`${detail} [${code}]`)], isError: true };
  }
}

const text = (value: string) => ({ type: 'text' as const, text: value });

function bounded(answer: string): string {
  if (answer.length <= MAX_ANSWER_CHARACTERS) return answer;
  const end = answer.lastIndexOf('\n', MAX_ANSWER_CHARACTERS);
  return `${answer.slice(0, end > 0 ? end : MAX_ANSWER_CHARACTERS)}\n(cut; ask for less)`;
}

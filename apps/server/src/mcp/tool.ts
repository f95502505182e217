import { type VisibleRepositories } from '@core/domain';
import { type z } from 'zod';
import { type Problem, problemOf } from '../http/problem.js';

/** What a tool has shown, for the audit log. */
export interface ShownCode {
  repositoryIds?: readonly string[];
  path?: string;
  lines?: string;
  /** The text that was searched for. */
  query?: string;
}

/** What a tool knows about its call. */
export interface ToolCall {
  signal: AbortSignal;
  /** The repositories of the caller's scope; null: all. */
  visible: VisibleRepositories;
  /** Call it before the answer with what the answer shows. */
  shows: (code: ShownCode) => void;
}

/** How a call ended. */
export interface ToolEnd extends ShownCode {
  tool: string;
  /** Null: it succeeded. */
  problem: Pick<Problem, 'status' | 'code'> | null;
}

/** The caller of tools. */
export interface ToolCaller extends Pick<ToolCall, 'visible'> {
  /** Records each call with its end. */
  record(end: ToolEnd): Promise<void>;
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
export async function answerOf(definition: Tool, input: object, caller: ToolCaller, signal: AbortSignal) {
  const end: ToolEnd = { tool: definition.name, problem: null };
  const shows = (code: ShownCode): void => void Object.assign(end, code);
  try {
    const answer = await definition.run(input as never, { signal, visible: caller.visible, shows });
    await caller.record(end);
    return { content: [text(bounded(answer))] };
  } catch (error) {
    const problem = problemOf(error);
    await caller.record({ ...end, problem });
    return { content: [text(`${problem.detail} [${problem.code}]`)], isError: true };
  }
}

const text = (value: string) => ({ type: 'text' as const, text: value });

function bounded(answer: string): string {
  if (answer.length <= MAX_ANSWER_CHARACTERS) return answer;
  const end = answer.lastIndexOf('\n', MAX_ANSWER_CHARACTERS);
  return `${answer.slice(0, end > 0 ? end : MAX_ANSWER_CHARACTERS)}\n(cut; ask for less)`;
}

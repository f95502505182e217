import { usageFailure } from '../failure.js';
import { type Question } from './evaluate.js';

/** Checks a parsed file of questions. @throws usage `questions_invalid` that names the first fault. */
export function questionsOf(content: unknown, file: string): Question[] {
  if (!Array.isArray(content) || content.length === 0)
    throw usageFailure(
      'questions_invalid',
      `${file} must be a list of questions: "- question: ..." with "expected: path".`,
    );
  return content.map((entry: unknown, index) => {
    const { question, expected, repository, ...others } = (entry ?? {}) as Record<string, unknown>;
    const [unknown] = Object.keys(others);
    const isValid = isText(question) && isText(expected) && (repository === undefined || isText(repository));
    if (isValid && unknown === undefined)
      return { question, expected, ...(isText(repository) && { repository }) };
    const found = unknown === undefined ? '' : ` Found the unknown field "${unknown}".`;
    throw usageFailure(
      'questions_invalid',
      `Question ${index + 1} of ${file} must have question and expected (a path, or path:line), and may have repository.${found}`,
    );
  });
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value.trim() !== '';
}

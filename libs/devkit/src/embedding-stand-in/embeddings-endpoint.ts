import { createHash } from 'node:crypto';
import { type Answer, jsonAnswer } from '../http/answer.js';
import { type EmbeddingSettings, type StandInModel } from './embedding-settings.js';
import { LengthProblem, OpenAiProblem } from './openai-error.js';
import { embeddingOf, toBase64 } from './vectors.js';

/** Wrong answers with status 200. */
export type EmbeddingEffect =
  /** Every vector has one number too few. */
  | { kind: 'wrong_dimension' }
  /** The last vector is missing. */
  | { kind: 'wrong_count' }
  /** One number of the first vector is invalid: `null`, or NaN (in base64 and as the bare word in JSON). */
  | { kind: 'not_a_number'; as: 'null' | 'NaN' }
  /** The first vector contains only zeros. */
  | { kind: 'zero_vector' }
  /** The vectors are in reverse order; only `index` shows it. */
  | { kind: 'reversed' };

/** A request as the log stores it. */
export interface EmbeddingWork {
  model: string;
  /** SHA-256 (hex) of each text, in order: shows repeated work without the content. */
  contentHashes: string[];
  tokens: number;
}

interface EmbeddingRequest {
  model: StandInModel;
  texts: string[];
  dimensions: number;
  format: 'float' | 'base64';
}

interface EmbeddedText {
  index: number;
  vector: Float32Array;
}

/** POST /v1/embeddings. @throws OpenAiProblem */
export function answerEmbeddings(
  body: Buffer,
  settings: EmbeddingSettings,
  effect: EmbeddingEffect | null,
): { answer: Answer; work: EmbeddingWork } {
  const request = readRequest(body, settings);
  const { model, texts, dimensions, format } = request;
  const tokens = countTokens(texts, settings);
  const { maxInputTokens, charactersPerToken, usage: counted } = settings;
  const embeddedPart = (text: string) => text.slice(0, maxInputTokens * charactersPerToken);
  const { poisonedTexts } = settings;
  const isPoisoned = (text: string) => poisonedTexts !== null && text.search(poisonedTexts.pattern) >= 0;
  if (poisonedTexts?.as === 'status 500' && texts.some(isPoisoned))
    throw new OpenAiProblem(500, 'failed to encode response: json: unsupported value: NaN');
  const embedded = texts.map((text, index) => ({
    index,
    vector: isPoisoned(text)
      ? new Float32Array(dimensions).fill(poisonedTexts?.as === 'equal' ? 1 : 0)
      : embeddingOf(model.weights ?? model.id, embeddedPart(text), dimensions),
  }));
  const data = distort(embedded, effect).map(({ index, vector }) => ({
    object: 'embedding',
    index,
    embedding: format === 'base64' ? toBase64(vector) : Array.from(vector),
  }));
  const usageTokens = counted === 'sent' ? tokens.sent : tokens.embedded;
  const usage =
    counted === 'none' ? {} : { usage: { prompt_tokens: usageTokens, total_tokens: usageTokens } };
  const answer = jsonAnswer(200, { object: 'list', data, model: model.id, ...usage });
  const contentHashes = texts.map((text) => createHash('sha256').update(text).digest('hex'));
  const isBareNaN = effect?.kind === 'not_a_number' && effect.as === 'NaN' && format === 'float';
  return {
    answer: isBareNaN ? { ...answer, body: withBareNaN(answer.body as Buffer) } : answer,
    work: { model: model.id, contentHashes, tokens: tokens.embedded },
  };
}

function readRequest(body: Buffer, settings: EmbeddingSettings): EmbeddingRequest {
  const { input, model: id, dimensions, encoding_format: format = 'float' } = parseJson(body);
  const model = settings.models.find((known) => known.id === id);
  if (model === undefined) throw unknownModel(id);
  if (format !== 'float' && format !== 'base64') {
    throw new OpenAiProblem(400, "Invalid value for 'encoding_format'.", null, 'encoding_format');
  }
  const texts = readTexts(input, settings.maxInputs);
  const { refusedTexts } = settings;
  if (refusedTexts !== null && texts.some((text) => text.search(refusedTexts) >= 0))
    throw new OpenAiProblem(400, 'The input was filtered by a content policy.', 'content_filter');
  return { model, texts, dimensions: readDimensions(model, dimensions), format };
}

function parseJson(body: Buffer): Record<string, unknown> {
  try {
    return JSON.parse(body.toString()) as Record<string, unknown>;
  } catch {
    throw new OpenAiProblem(400, 'We could not parse the JSON body of your request.');
  }
}

function unknownModel(id: unknown): OpenAiProblem {
  if (typeof id !== 'string') return new OpenAiProblem(400, 'you must provide a model parameter');
  const message = `The model \`${id}\` does not exist or you do not have access to it.`;
  return new OpenAiProblem(404, message, 'model_not_found');
}

function readDimensions(model: StandInModel, requested: unknown): number {
  if (requested === undefined || requested === null) return model.dimensions;
  if (!model.canShorten) throw new OpenAiProblem(400, 'This model does not support specifying dimensions.');
  if (
    typeof requested === 'number' &&
    Number.isInteger(requested) &&
    requested >= 1 &&
    requested <= model.dimensions
  )
    return requested;
  throw new OpenAiProblem(
    400,
    `Invalid value for 'dimensions' = ${JSON.stringify(requested)}. Must be at most ${model.dimensions}.`,
  );
}

function readTexts(input: unknown, maxInputs: number): string[] {
  const list: unknown = typeof input === 'string' ? [input] : input;
  if (!Array.isArray(list) || list.length === 0) throw invalidInput();
  if (list.length > maxInputs) {
    const message = `Invalid 'input': array too long. Expected an array with maximum length ${maxInputs}, but got an array with length ${list.length} instead.`;
    throw new OpenAiProblem(400, message, 'array_above_max_length', 'input');
  }
  return list.map((item: unknown) => {
    if (typeof item !== 'string' || item === '') throw invalidInput();
    return item;
  });
}

function invalidInput(): OpenAiProblem {
  return new OpenAiProblem(400, "'$.input' is invalid. Please check the API reference.");
}

function countTokens(
  texts: readonly string[],
  settings: EmbeddingSettings,
): { sent: number; embedded: number } {
  const counts = texts.map((text) => Math.ceil(text.length / settings.charactersPerToken));
  const longest = Math.max(...counts);
  const { maxInputTokens, longTexts } = settings;
  if (longest > maxInputTokens && longTexts !== 'cut')
    throw new LengthProblem(longTexts(longest, maxInputTokens));
  const sum = (numbers: readonly number[]) => numbers.reduce((total, number) => total + number, 0);
  const total = sum(counts);
  if (total > settings.maxRequestTokens) {
    const message = `Requested ${total} tokens, max ${settings.maxRequestTokens} tokens per request`;
    throw new OpenAiProblem(400, message, 'max_tokens_per_request');
  }
  return { sent: total, embedded: sum(counts.map((count) => Math.min(count, maxInputTokens))) };
}

function distort(embedded: EmbeddedText[], effect: EmbeddingEffect | null): EmbeddedText[] {
  const [first, ...rest] = embedded;
  if (effect === null || first === undefined) return embedded;
  switch (effect.kind) {
    case 'wrong_dimension':
      return embedded.map(({ index, vector }) => ({ index, vector: vector.subarray(1) }));
    case 'wrong_count':
      return embedded.slice(0, -1);
    case 'not_a_number':
      // JSON.stringify turns NaN into null.
      return [{ ...first, vector: first.vector.map((value, index) => (index === 0 ? NaN : value)) }, ...rest];
    case 'zero_vector':
      return [{ ...first, vector: first.vector.map(() => 0) }, ...rest];
    case 'reversed':
      return embedded.toReversed();
    default:
      // The server applies all other effects to the connection.
      return embedded;
  }
}

function withBareNaN(body: Buffer): Buffer {
  return Buffer.from(body.toString().replace('[null,', '[NaN,'));
}

import { type Answer, htmlAnswer, jsonAnswer } from '../http/answer.js';

/** An error in OpenAI's format; the handlers throw it. */
export class OpenAiProblem extends Error {
  constructor(
    readonly status: number,
    message: string,
    readonly code: string | null = null,
    readonly param: string | null = null,
  ) {
    super(message);
  }

  toAnswer(): Answer {
    const { message, code, param } = this;
    return jsonAnswer(this.status, { error: { message, type: typeOf(this.status), param, code } });
  }
}

/** The refusal of a text that is too long, in the words of some server. */
export class LengthProblem extends Error {
  constructor(private readonly refusal: { status: number; body: object }) {
    super('too long');
  }

  toAnswer(): Answer {
    return jsonAnswer(this.refusal.status, this.refusal.body);
  }
}

/** The default message of OpenAI, or of a proxy in front of it, for an error status. */
export function plainOpenAiError(status: number): Answer {
  if (status > 500) return htmlAnswer(status, `<html><body><h1>${status}</h1></body></html>\n`);
  if (status === 401) return badKey().toAnswer();
  if (status === 429) {
    return new OpenAiProblem(429, 'Rate limit reached for requests', 'rate_limit_exceeded').toAnswer();
  }
  const words = 'The server had an error while processing your request. Sorry about that!';
  return new OpenAiProblem(
    status,
    status === 500 ? words : `Request failed with status ${status}`,
  ).toAnswer();
}

export function badKey(): OpenAiProblem {
  return new OpenAiProblem(401, 'Incorrect API key provided.', 'invalid_api_key');
}

function typeOf(status: number): string {
  if (status === 429) return 'requests';
  return status >= 500 ? 'server_error' : 'invalid_request_error';
}

import { createHash } from 'node:crypto';
import { RepotideError } from '@core/domain';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { createLexicalEmbedder } from './lexical-embedder.js';

const never = new AbortController().signal;
const embedder = createLexicalEmbedder();

async function embedOne(text: string): Promise<Float32Array> {
  const [vector] = await embedder.embed([text], 'document', never);
  if (vector === undefined) throw new Error('no vector');
  return vector;
}

function cosine(a: Float32Array, b: Float32Array): number {
  return a.reduce((sum, value, index) => sum + value * (b[index] ?? 0), 0);
}

const CORPUS: Readonly<Record<string, string>> = {
  parseCronExpression: `export function parseCronExpression(text: string): CronFields {
    const fields = text.trim().split(/\\s+/);
    if (fields.length !== 5) throw new Error('Expected five fields');
    return { minute: fields[0], hour: fields[1], day: fields[2], month: fields[3], weekday: fields[4] };
  }`,
  release_lease: `def release_lease(redis, key, owner):
    """Delete the lock only while it is still ours."""
    return redis.eval(COMPARE_AND_DELETE, 1, key, owner) == 1`,
  HTTPServerFactory: `class HTTPServerFactory {
    create(port: number): Server { return http.createServer(this.handler).listen(port); }
  }`,
  computeCosineSimilarity: `function computeCosineSimilarity(left, right) {
    let dot = 0;
    for (let i = 0; i < left.length; i++) dot += left[i] * right[i];
    return dot / (norm(left) * norm(right));
  }`,
  'retry-with-backoff': `// retry-with-backoff: waits twice as long before each further attempt
  async function attemptAgain(task, attempts) {
    for (let n = 0; n < attempts; n++) { try { return await task(); } catch { await sleep(2 ** n * 100); } }
  }`,
  loadUserAccounts: `func loadUserAccounts(db *sql.DB) ([]Account, error) {
    rows, err := db.Query("SELECT id, email FROM accounts WHERE deleted_at IS NULL")
    if err != nil { return nil, err }
    defer rows.Close()
    return scanAccounts(rows)
  }`,
  renderMarkdownTable: `export const renderMarkdownTable = (rows: Row[]): string =>
    rows.map((row) => '| ' + row.cells.join(' | ') + ' |').join('\\n');`,
  'src/billing/invoice-mailer.ts': `import { send } from './smtp.js'; // src/billing/invoice-mailer.ts
  export async function mailInvoices(invoices) { for (const each of invoices) await send(each.customer, each.pdf); }`,
};

describe('ranking', () => {
  it.each([
    ['where do we parse a cron expression?', 'parseCronExpression'],
    ['parsing of cron expressions', 'parseCronExpression'],
    ['how is a lease released', 'release_lease'],
    ['releaseLease', 'release_lease'],
    ['http server factory', 'HTTPServerFactory'],
    ['cosine similarity of two vectors', 'computeCosineSimilarity'],
    ['retry with backoff', 'retry-with-backoff'],
    ['load all user accounts from the database', 'loadUserAccounts'],
    ['user_account loader', 'loadUserAccounts'],
    ['render a table as markdown', 'renderMarkdownTable'],
    ['src/billing/invoice-mailer.ts', 'src/billing/invoice-mailer.ts'],
    ['code that mails an invoice', 'src/billing/invoice-mailer.ts'],
  ])('answers "%s" with %s', async (query, expected) => {
    const names = Object.keys(CORPUS);
    const documents = await embedder.embed(Object.values(CORPUS), 'document', never);
    const [question] = await embedder.embed([query], 'query', never);
    const scores = documents.map((document) => cosine(document, question ?? new Float32Array()));
    expect(names[scores.indexOf(Math.max(...scores))]).toBe(expected);
  });

  it('finds one function among many with the same words in another order', async () => {
    const others = ['closeOpenFile', 'fileOpenedClose', 'openCloseFile'].map((name) => `${name}();`);
    const [query, wanted, ...rest] = await embedder.embed(
      ['close open file', 'closeOpenFile();', ...others.slice(1)],
      'document',
      never,
    );
    const best = cosine(query ?? new Float32Array(), wanted ?? new Float32Array());
    for (const other of rest) expect(best).toBeGreaterThan(cosine(query ?? new Float32Array(), other));
  });
});

describe('vectors', () => {
  it('are similar for one name in all its spellings', async () => {
    const [first, ...others] = await embedder.embed(
      ['leaseTtlSeconds', 'LeaseTtlSeconds', 'lease_ttl_seconds', 'lease-ttl-seconds', 'LEASE_TTL_SECONDS'],
      'document',
      never,
    );
    for (const other of others) expect(cosine(first ?? new Float32Array(), other)).toBeCloseTo(1, 5);
  });

  it('are those of version 1: a change of any number needs a new model id', async () => {
    const vector = await embedOne('parseCronExpression("*/5 * * * *") // five minutes');
    const shape = vector.map((value) => Math.round(value * 1000)).join();
    expect(createHash('sha256').update(shape).digest('hex').slice(0, 16)).toBe('c615282b321ac49e');
    expect(embedder.model).toEqual({ id: 'lexical-v1@384', dimensions: 384, maxInputTokens: null });
  });

  it.each(['', '   \n', '=> {} !== ()', '\u{1F600}', '\uD800'])(
    'exist for text without a word: %j',
    async (text) => {
      expect(await embedOne(text)).toEqual(await embedOne(''));
    },
  );

  it('differ for scripts without spaces', async () => {
    const [question, match, other] = await embedder.embed(
      ['東京の天気', '今日の東京', '大阪城'],
      'document',
      never,
    );
    const query = question ?? new Float32Array();
    expect(cosine(query, match ?? query)).toBeGreaterThan(cosine(query, other ?? query) + 0.2);
  });

  it('are finite, of length 1, and deterministic, for any text', async () => {
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: 'grapheme', maxLength: 300 }), async (text) => {
        const vector = await embedOne(text);
        expect(vector).toHaveLength(384);
        expect(Math.sqrt(cosine(vector, vector))).toBeCloseTo(1, 5);
        expect(await embedOne(text)).toEqual(vector);
      }),
    );
  });

  it('have the configured length', async () => {
    const small = createLexicalEmbedder({ dimensions: 8 });
    expect(small.model.id).toBe('lexical-v1@8');
    const [vector] = await small.embed(['words enough to fill it'], 'document', never);
    expect(vector).toHaveLength(8);
  });
});

describe('cancellation', () => {
  it('stops between two texts', async () => {
    const controller = new AbortController();
    const texts = Array<string>(50).fill('someWord '.repeat(20_000));
    const work = embedder.embed(texts, 'document', controller.signal);
    controller.abort(new RepotideError('cancelled', 'cancelled', 'stop'));
    await expect(work).rejects.toMatchObject({ kind: 'cancelled' });
  });
});

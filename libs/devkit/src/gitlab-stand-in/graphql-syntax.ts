/** A GraphQL document that cannot be parsed or executed; reported in `errors` with HTTP 200. */
export class GraphqlProblem extends Error {
  constructor(
    message: string,
    readonly extensions?: Readonly<Record<string, string>>,
  ) {
    super(message);
  }
}

export interface GraphqlField {
  name: string;
  /** The key in the answer: the alias, or the name. */
  key: string;
  args: Readonly<Record<string, unknown>>;
  selections: readonly GraphqlField[];
}

const TOKEN = /[\s,]+|#[^\n]*|("(?:\\.|[^"\\\n])*"|\.\.\.|[!$():=@[\]{|}]|-?\d+|[A-Za-z_]\w*)/y;

/**
 * Parses the single query of a document: fields, aliases, arguments and variables. Fragments and directives are not supported.
 * @throws GraphqlProblem
 */
export function parseQuery(document: string, variables: Readonly<Record<string, unknown>>): GraphqlField[] {
  const parser = new QueryParser(tokensOf(document), variables);
  return parser.readOperation();
}

function tokensOf(document: string): string[] {
  const tokens: string[] = [];
  TOKEN.lastIndex = 0;
  while (TOKEN.lastIndex < document.length) {
    const at = TOKEN.lastIndex;
    const match = TOKEN.exec(document);
    if (match === null) throw new GraphqlProblem(`Parse error on ${JSON.stringify(document[at])}`);
    if (match[1] !== undefined) tokens.push(match[1]);
  }
  return tokens;
}

class QueryParser {
  private position = 0;

  constructor(
    private readonly tokens: readonly string[],
    private readonly variables: Readonly<Record<string, unknown>>,
  ) {}

  readOperation(): GraphqlField[] {
    if (this.peek() === 'query') {
      while (this.peek() !== '{' && this.peek() !== '(') this.next();
      if (this.peek() === '(') while (this.next() !== ')');
    }
    const fields = this.readSelections();
    if (this.peek() !== undefined) throw this.unexpected();
    return fields;
  }

  private readSelections(): GraphqlField[] {
    this.expect('{');
    const fields: GraphqlField[] = [];
    while (this.peek() !== '}') fields.push(this.readField());
    this.expect('}');
    return fields;
  }

  private readField(): GraphqlField {
    const first = this.readName();
    const name = this.peek() === ':' ? this.aliased() : first;
    const args = this.peek() === '(' ? this.readArguments() : {};
    const selections = this.peek() === '{' ? this.readSelections() : [];
    return { name, key: first, args, selections };
  }

  private aliased(): string {
    this.expect(':');
    return this.readName();
  }

  private readArguments(): Record<string, unknown> {
    const args: Record<string, unknown> = {};
    this.expect('(');
    while (this.peek() !== ')') {
      const name = this.readName();
      this.expect(':');
      args[name] = this.readValue();
    }
    this.expect(')');
    return args;
  }

  private readValue(): unknown {
    const token = this.next();
    if (token === '$') return this.variables[this.readName()];
    if (token === '[') return this.readList();
    if (token === 'true' || token === 'false') return token === 'true';
    if (token === 'null') return null;
    if (token.startsWith('"')) return JSON.parse(token) as string;
    if (/^-?\d+$/.test(token)) return Number(token);
    if (/^\w+$/.test(token)) return token;
    throw this.unexpected();
  }

  private readList(): unknown[] {
    const values: unknown[] = [];
    while (this.peek() !== ']') values.push(this.readValue());
    this.expect(']');
    return values;
  }

  private readName(): string {
    const token = this.next();
    if (!/^[A-Za-z_]\w*$/.test(token)) throw this.unexpected();
    return token;
  }

  private expect(token: string): void {
    if (this.next() !== token) throw this.unexpected();
  }

  private peek(): string | undefined {
    return this.tokens[this.position];
  }

  private next(): string {
    const token = this.tokens[this.position++];
    if (token === undefined) throw this.unexpected();
    return token;
  }

  private unexpected(): GraphqlProblem {
    return new GraphqlProblem(`Parse error on ${JSON.stringify(this.tokens[this.position - 1] ?? 'end')}`);
  }
}

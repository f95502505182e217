/** The cells of a Jupyter notebook as text. */
export interface NotebookText {
  text: string;
  /** For each line of the text, the line of the file that holds it. */
  fileLines: number[];
}

interface Cell {
  type: string;
  /** Jupyter writes each line of a cell on a separate line. */
  source: { text: string; fileLine: number }[];
}

const LABELS = new Map([
  ['markdown', ' [markdown]'],
  ['raw', ' [raw]'],
]);

/**
 * The source of each cell under a heading, `# %% Cell 3 [markdown]` (no brackets for code), the form of Jupytext and of
 * editors. Leaves out outputs, attachments and blank cells. Null when the file is not a notebook of format 4.
 */
export function readNotebook(json: string): NotebookText | null {
  if (!isNotebook(json)) return null;
  const cellTexts: string[] = [];
  const fileLines: number[] = [];
  for (const [index, { type, source }] of findCells(json)) {
    const text = source
      .map((part) => part.text)
      .join('')
      .toWellFormed();
    if (text.trim() === '') continue;
    cellTexts.push(`# %% Cell ${index + 1}${LABELS.get(type) ?? ''}\n${text.trimEnd()}\n`);
    const lines = fileLinesOf(source).slice(0, text.trimEnd().split('\n').length);
    // The heading has the line of the first source line, and the blank line after the cell that of the last one.
    for (const line of [lines[0]!, ...lines, lines.at(-1)!]) fileLines.push(line);
  }
  return { text: cellTexts.join('\n'), fileLines };
}

function isNotebook(json: string): boolean {
  try {
    const parsed: unknown = JSON.parse(json);
    return typeof parsed === 'object' && parsed !== null && 'cells' in parsed && Array.isArray(parsed.cells);
  } catch {
    return false;
  }
}

/** Cells by index. `JSON.parse` does not tell the line of a value, so this reads the tokens of the valid JSON again. */
function findCells(json: string): Map<number, Cell> {
  const cells = new Map<number, Cell>();
  /** Of each open object the current key, of each open array the current index. */
  const path: (string | number)[] = [];
  let isKey = false;
  let fileLine = 1;
  for (let at = 0; at < json.length; at += 1) {
    const token = json[at]!;
    const innermost = path.at(-1);
    if (token === '"') {
      const end = endOfString(json, at);
      if (isKey) path[path.length - 1] = json.slice(at + 1, end);
      else addToCell(cells, path, json.slice(at, end + 1), fileLine);
      at = end;
    } else if (token === '\n') fileLine += 1;
    else if (token === ':') isKey = false;
    else if (token === '}' || token === ']') path.pop();
    else if (token === '{' || token === '[') {
      isKey = token === '{';
      path.push(isKey ? '' : 0);
    } else if (token === ',') {
      isKey = typeof innermost === 'string';
      if (typeof innermost === 'number') path[path.length - 1] = innermost + 1;
    }
  }
  return cells;
}

function endOfString(json: string, start: number): number {
  let at = start + 1;
  while (json[at] !== '"') at += json[at] === '\\' ? 2 : 1;
  return at;
}

function addToCell(
  cells: Map<number, Cell>,
  path: readonly (string | number)[],
  literal: string,
  fileLine: number,
): void {
  const [list, index, field] = path;
  const isSource = field === 'source' && path.length <= 4;
  if (list !== 'cells' || typeof index !== 'number' || !(isSource || field === 'cell_type')) return;
  const text = JSON.parse(literal) as string;
  const cell = cells.get(index) ?? { type: 'code', source: [] };
  cells.set(index, cell);
  if (isSource) cell.source.push({ text, fileLine });
  else cell.type = text;
}

/** The file's line of each line of a source. */
function fileLinesOf(source: Cell['source']): number[] {
  const lines: number[] = [];
  let isLineOpen = false;
  for (const { text, fileLine } of source) {
    for (const part of text.split(/(?<=\n)/)) {
      if (part === '') continue;
      if (!isLineOpen) lines.push(fileLine);
      isLineOpen = !part.endsWith('\n');
    }
  }
  return lines;
}

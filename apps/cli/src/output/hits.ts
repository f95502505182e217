import { type Schemas } from '../service/client.js';

type Hit = Schemas['SearchHitDto'];

const BOLD = ['\x1b[1m', '\x1b[22m'] as const;
const MAX_LINE = 120;

/** Prints search hits: place, facts, and the lines that match best; on a terminal their terms are bold. */
export function printHits(hits: readonly Hit[]): void {
  const isMarked = process.stdout.isTTY && process.env['NO_COLOR'] === undefined;
  for (const [position, hit] of hits.entries()) {
    const { snippet, project_path: projectPath, commit, score, path } = hit;
    const where = `${path}:${snippet.start_line}-${snippet.end_line}`;
    const source = `${projectPath} at ${commit.slice(0, 12)}`;
    process.stdout.write(`  ${position + 1}. ${where}  (${source}, score ${score.toFixed(3)})\n`);
    for (const line of linesOf(hit, isMarked)) process.stdout.write(`     ${line}\n`);
  }
  if (hits.length === 0) process.stdout.write('  nothing found\n');
}

function linesOf({ snippet }: Hit, isMarked: boolean): string[] {
  const width = String(snippet.end_line).length;
  return snippet.text.split('\n').map((text, index) => {
    const number = snippet.start_line + index;
    const marks = isMarked ? snippet.highlights.filter(({ line }) => line === number) : [];
    return `${String(number).padStart(width)}  ${marked(text.slice(0, MAX_LINE), marks)}`.trimEnd();
  });
}

function marked(text: string, marks: readonly { start: number; end: number }[]): string {
  let result = '';
  let position = 0;
  for (const { start, end } of marks) {
    if (start >= text.length) break;
    result += text.slice(position, start) + BOLD[0] + text.slice(start, end) + BOLD[1];
    position = end;
  }
  return result + text.slice(position);
}

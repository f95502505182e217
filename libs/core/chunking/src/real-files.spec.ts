import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, it } from '@jest/globals';
import { createChunker } from './chunker.js';
import { readText } from './read-text.js';

const ROOT = fileURLToPath(new URL('../../../..', import.meta.url));
const CHUNK_SIZE = 7000;
const FILES = 400;

/** Texts of more than one chunk: of this project, then of packages that are installed for it. */
function realTexts(): { path: string; text: string }[] {
  const tracked = execFileSync('git', ['ls-files', '-z'], { cwd: ROOT, encoding: 'utf8' }).split('\0');
  const installed = ['typeorm', 'rxjs', 'zod', '@nestjs/common', 'ioredis'].flatMap((name) =>
    readdirSync(`${ROOT}/node_modules/${name}`, { recursive: true, encoding: 'utf8' })
      .sort()
      .map((path) => `node_modules/${name}/${path}`),
  );
  const texts: { path: string; text: string }[] = [];
  for (const path of [...tracked, ...installed]) {
    if (texts.length === FILES) break;
    if (!/\.(?:ts|js|md|json|yaml|html|py)$/.test(path)) continue;
    const read = readText(readFileSync(`${ROOT}/${path}`), { path, maxFileBytes: 1_048_576 });
    if (read.kind === 'text' && read.text.trimEnd().length > CHUNK_SIZE)
      texts.push({ path, text: read.text });
  }
  return texts;
}

it(`cuts ${FILES} real files with the promised overlap, at their true lines, without a gap or a fragment`, () => {
  const texts = realTexts();
  expect(texts).toHaveLength(FILES);
  const chunker = createChunker({ chunkSize: CHUNK_SIZE, chunkOverlap: 1500 });
  const wrong: string[] = [];
  for (const { path, text } of texts) {
    const lines = text.split('\n');
    const missing = new Set([...lines.keys()].filter((index) => lines[index]!.trim() !== ''));
    const chunks = chunker.split(text, path);
    chunks.forEach((chunk, index) => {
      const place = `${path}:${chunk.startLine}-${chunk.endLine}`;
      const own = lines.slice(chunk.startLine - 1, chunk.endLine);
      const count = chunk.text.split('\n').length;
      if (own.length !== count || !own.join('\n').includes(chunk.text))
        wrong.push(`${place} has other lines`);
      if (chunk.text.length > CHUNK_SIZE || chunk.text.length < 200) {
        wrong.push(`${place} has ${chunk.text.length} characters`);
      }
      for (let line = chunk.startLine; line <= chunk.endLine; line += 1) missing.delete(line - 1);
      const before = chunks[index - 1]?.text;
      const isShared = (length: number): boolean => before!.endsWith(chunk.text.slice(0, length));
      const allowed = Array.from({ length: 301 }, (_, extra) => 1350 + extra);
      if (before !== undefined && !allowed.some(isShared)) wrong.push(`${place} has another overlap`);
    });
    if (missing.size > 0) wrong.push(`${path} lacks ${missing.size} lines`);
  }
  expect(wrong).toEqual([]);
});

import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, it } from '@jest/globals';
import { type Chunk } from '@core/domain';
import { plantedSecrets, type PlantedSecret } from '../../../../test/support/planted-secrets.js';
import { createChunker } from './split/chunker.js';
import { readText } from './read/read-text.js';
import { findSecrets } from './secrets/find-secrets.js';
import { screenText } from './secrets/screen-text.js';

const ROOT = fileURLToPath(new URL('../../../..', import.meta.url));
const SETTINGS = { chunkSize: 7000, chunkOverlap: 1500, maxFileBytes: 1_048_576 };
const FILES = 400;
const REDACTED = /\[redacted:[a-z0-9-]+\]\n*/;

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
    const read = readText(readFileSync(`${ROOT}/${path}`), { path, ...SETTINGS });
    if (read.kind === 'text' && read.text.trimEnd().length > SETTINGS.chunkSize)
      texts.push({ path, text: read.text });
  }
  return texts;
}

const texts = realTexts();

function chunksOf(path: string, text: string): Chunk[] {
  return createChunker(SETTINGS).split(screenText(text, 'redact').text, path);
}

/** Whether the lines have the text, in order and without a gap except where a secret was. */
function hold(lines: readonly string[], text: string): boolean {
  const whole = lines.join('\n');
  let position = 0;
  return text.split(REDACTED).every((part) => {
    const found = whole.indexOf(part, position);
    position = found + part.length;
    return found >= 0;
  });
}

it(`cuts ${FILES} real files with the promised overlap, at their true lines, without a gap or a fragment`, () => {
  expect(texts).toHaveLength(FILES);
  const wrong: string[] = [];
  for (const { path, text } of texts) {
    const lines = text.split('\n');
    const missing = new Set([...lines.keys()].filter((index) => lines[index]!.trim() !== ''));
    const chunks = chunksOf(path, text);
    chunks.forEach((chunk, index) => {
      const place = `${path}:${chunk.startLine}-${chunk.endLine}`;
      const own = lines.slice(chunk.startLine - 1, chunk.endLine);
      const isExact = own.join('\n').includes(chunk.text);
      if (own.length !== chunk.text.split('\n').length || !hold(own, chunk.text))
        wrong.push(`${place} has other lines`);
      if (!isExact && !REDACTED.test(chunk.text)) wrong.push(`${place} has other text`);
      if (chunk.text.length > SETTINGS.chunkSize || chunk.text.length < 200) {
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

/** A real text with secrets between its lines, and which lines of it have a part of one. */
function withSecrets(
  text: string,
  secrets: readonly PlantedSecret[],
): { text: string; secretLines: Set<number> } {
  const lines = text.split('\n');
  const secretLines = new Set<number>();
  const apart = Math.floor(lines.length / (secrets.length + 1));
  secrets.forEach((secret, index) => {
    const planted = secret.text.trimEnd().split('\n');
    const at = (index + 1) * apart + secretLines.size;
    lines.splice(at, 0, ...planted);
    planted.forEach((_, line) => secretLines.add(at + line));
  });
  return { text: lines.join('\n'), secretLines };
}

it('a removed secret changes no other line of a real file, and moves none', () => {
  const usable = texts.filter(({ text }) => findSecrets(text).length === 0).slice(0, 60);
  const kinds = plantedSecrets(1).filter(({ kind }) => !['environment file', 'key file'].includes(kind));
  const wrong: string[] = [];
  usable.forEach(({ path, text }, number) => {
    const secrets = [0, 1, 2].map((offset) => kinds[(number * 3 + offset) % kinds.length]!);
    const planted = withSecrets(text, secrets);
    const lines = planted.text.split('\n');
    for (const { startLine, endLine, text: chunk } of chunksOf(path, planted.text)) {
      const chunkLines = chunk.split('\n');
      if (chunkLines.length !== endLine - startLine + 1) wrong.push(`${path}:${startLine} has other lines`);
      for (const { secret, kind } of secrets) {
        if (chunk.includes(secret)) wrong.push(`${path}:${startLine} has the ${kind}`);
      }
      chunkLines.forEach((line, index) => {
        const at = startLine - 1 + index;
        const isEdge = index === 0 || index === chunkLines.length - 1;
        const isSame = isEdge ? lines[at]!.includes(line) : lines[at] === line;
        if (!isSame && !planted.secretLines.has(at)) wrong.push(`${path}:${at + 1} became ${line}`);
      });
    }
  });
  expect(wrong).toEqual([]);
});

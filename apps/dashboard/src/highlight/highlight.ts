// The build makes this file a chunk that the page loads when it first shows code.
import { refractor } from 'refractor';
import docker from 'refractor/docker';
import graphql from 'refractor/graphql';
import hcl from 'refractor/hcl';
import protobuf from 'refractor/protobuf';
import scala from 'refractor/scala';
import toml from 'refractor/toml';

for (const syntax of [docker, graphql, hcl, protobuf, scala, toml]) refractor.register(syntax);

/** Languages whose grammar has another name. */
const GRAMMARS: Readonly<Record<string, string>> = {
  shell: 'bash',
  dockerfile: 'docker',
  terraform: 'hcl',
  html: 'markup',
  xml: 'markup',
  svg: 'markup',
  vue: 'markup',
  svelte: 'markup',
  jupyter: 'python',
  starlark: 'python',
};

/** A piece of a line, with the kind of its syntax; an empty one is plain. */
export interface Token {
  text: string;
  kind: string;
}

interface Node {
  type: string;
  value?: string;
  properties?: { className?: string[] };
  children?: Node[];
}

/** The tokens of each line; null for an unknown language. */
export function tokensOf(text: string, language: string): Token[][] | null {
  const grammar = GRAMMARS[language] ?? language;
  if (!refractor.registered(grammar)) return null;
  const lines: Token[][] = [[]];
  const add = ({ value, properties, children }: Node, kind: string): void => {
    const own = properties?.className?.[1] ?? kind;
    for (const child of children ?? []) add(child, own);
    for (const [index, part] of (value ?? '').split('\n').entries()) {
      if (index > 0) lines.push([]);
      if (part !== '') lines.at(-1)!.push({ text: part, kind: own });
    }
  };
  add(refractor.highlight(text, grammar), '');
  return lines;
}

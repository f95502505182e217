export interface ServerEvent {
  id: string | null;
  name: string;
  data: string;
}

/** Parses a stream of server-sent events that arrives in arbitrary pieces. */
export class EventParser {
  private rest = '';

  /** @returns the events that this piece completes. */
  push(piece: string): ServerEvent[] {
    const blocks = (this.rest + piece).replaceAll('\r\n', '\n').split('\n\n');
    this.rest = blocks.pop() ?? '';
    return blocks.map(parseBlock).filter((event) => event !== null);
  }
}

/** @returns null for a block without data: a comment or a reconnection delay. */
function parseBlock(block: string): ServerEvent | null {
  const data: string[] = [];
  let id: string | null = null;
  let name = 'message';
  for (const line of block.split('\n')) {
    const [, field, value = ''] = /^(\w+): ?(.*)$/.exec(line) ?? [];
    if (field === 'data') data.push(value);
    else if (field === 'id') id = value;
    else if (field === 'event') name = value;
  }
  return data.length === 0 ? null : { id, name, data: data.join('\n') };
}

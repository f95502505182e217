import { describe, expect, it } from '@jest/globals';
import { EventParser } from './event-parser.js';

const STREAM =
  'retry: 2000\n\nid: 7-0\nevent: progress\ndata: {"a":1}\n\n: still here\n\nevent: progress\ndata: {}\n\n';
const EVENTS = [
  { id: '7-0', name: 'progress', data: '{"a":1}' },
  { id: null, name: 'progress', data: '{}' },
];

describe('EventParser', () => {
  it('finds the same events wherever the stream is split', () => {
    for (let cut = 0; cut <= STREAM.length; cut++) {
      const parser = new EventParser();
      expect([...parser.push(STREAM.slice(0, cut)), ...parser.push(STREAM.slice(cut))]).toEqual(EVENTS);
    }
  });

  it('waits for the end of an event', () => {
    expect(new EventParser().push('data: {"a"')).toEqual([]);
  });

  it('joins the data lines of one event', () => {
    expect(new EventParser().push('data: one\ndata: two\n\n')).toEqual([
      { id: null, name: 'message', data: 'one\ntwo' },
    ]);
  });
});

import { describe, expect, it } from '@jest/globals';
import { definitionLines } from './definition-lines.js';

describe('the lines that define a name', () => {
  it.each([
    ['export async function close() {'],
    ['class close extends Door {'],
    ['func (s *Server) close(ctx Context) error {'],
    ['def close(self):'],
    ['  async close(reason: string): Promise<void> {'],
    ['const close = () => undefined;'],
    ['  close: function () {'],
    ['static int close(struct file *f)'],
    ['#define close(x) x'],
  ])('has %s', (line) => {
    expect(definitionLines(`first\n${line}`, 'close')).toEqual([1]);
  });

  it.each([
    ['  close();'],
    ['  return close('],
    ['  if (close(file)) {'],
    ['// function close() {'],
    ['function closeAll() {'],
    ['import { close } from "./door.js";'],
  ])('has not %s', (line) => {
    expect(definitionLines(line, 'close')).toEqual([]);
  });

  it('takes a name with special characters as it is', () => {
    expect(definitionLines('const $close = () => 1;', '$close')).toEqual([0]);
    expect(definitionLines('anything', '(a+)+$')).toEqual([]);
  });
});

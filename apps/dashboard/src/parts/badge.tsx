import { type Status } from '../api/answers.js';

/** A shape of its own for each, so that colour is never the only sign. */
const SHAPES: Readonly<Record<Status, string>> = {
  queued: '○',
  running: '◉',
  completed: '✓',
  partial: '◐',
  failed: '✕',
  missed: '⚑',
  cancelled: '■',
  skipped: '»',
};

export function Badge({ status }: { status: Status }) {
  return (
    <span class={`badge badge-${status}`}>
      <span aria-hidden="true">{SHAPES[status]}</span> {status}
    </span>
  );
}

import { Presets, SingleBar } from 'cli-progress';

/** What is shown of a run: the fields of the API's progress that this needs. */
export interface ShownProgress {
  progress: number;
  message: string;
  processed_files: number;
  total_files: number;
  /** Seconds that are left; null: unknown. */
  eta_seconds: number | null;
}

export interface Display {
  update(progress: ShownProgress): void;
  stop(): void;
}

/** Shows the progress of a run on standard error: a bar on a terminal, otherwise a line for each new stage. */
export function startDisplay(label = ''): Display {
  return process.stderr.isTTY ? showBar(label) : showLines();
}

function showBar(label: string): Display {
  const format = `  ${label === '' ? '' : `${label} | `}{bar} {percentage}% | {files} | {message}`;
  const bar = new SingleBar(
    { format, stream: process.stderr, hideCursor: true, clearOnComplete: true },
    Presets.rect,
  );
  bar.start(100, 0, { files: '', message: '' });
  return {
    update: (shown) => bar.update(shown.progress, { files: filesOf(shown), message: shown.message }),
    stop: () => bar.stop(),
  };
}

function showLines(): Display {
  let last = '';
  return {
    update: ({ message }) => {
      // Counts in a message change all the time; a log should have one line for each step.
      const step = message.replace(/\d+/g, '');
      if (step === last) return;
      last = step;
      process.stderr.write(`  ${message}\n`);
    },
    stop: () => undefined,
  };
}

function filesOf({
  processed_files: processed,
  total_files: total,
  eta_seconds: eta,
}: ShownProgress): string {
  const left = eta === null ? '' : `, about ${eta} s left`;
  return total === 0 ? '' : `${processed}/${total} files${left}`;
}

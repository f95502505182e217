import { Presets, SingleBar } from 'cli-progress';
import { type ProgressStore, type ProgressTask } from '@core/domain';

/**
 * Shows the progress of a run on standard error: a bar on a terminal, otherwise a line for each new stage.
 * @returns the function that ends the display.
 */
export function showProgress(store: ProgressStore, executionId: string, label = ''): () => void {
  const display = process.stderr.isTTY ? showBar(label) : showLines();
  const unsubscribe = store.subscribe(executionId, () => {
    void store.find(executionId).then((task) => task && display.update(task));
  });
  return () => {
    unsubscribe();
    display.stop();
  };
}

interface Display {
  update(snapshot: ProgressTask): void;
  stop(): void;
}

function showBar(label: string): Display {
  const format = `  ${label === '' ? '' : `${label} | `}{bar} {percentage}% | {files} | {message}`;
  const bar = new SingleBar(
    { format, stream: process.stderr, hideCursor: true, clearOnComplete: true },
    Presets.rect,
  );
  bar.start(100, 0, { files: '', message: '' });
  return {
    update: (snapshot) =>
      bar.update(snapshot.progress, { files: filesOf(snapshot), message: snapshot.message }),
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

function filesOf({ processedFiles, totalFiles }: ProgressTask): string {
  return totalFiles === 0 ? '' : `${processedFiles}/${totalFiles} files`;
}

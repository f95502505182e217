import { type ProgressStore } from '@core/domain';
import { startDisplay } from '../output/progress-display.js';

/** Shows the progress of a run of this process. @returns the function that ends the display. */
export function showProgress(store: ProgressStore, executionId: string, label = ''): () => void {
  const display = startDisplay(label);
  const unsubscribe = store.subscribe(executionId, () => {
    void store.find(executionId).then((task) => {
      if (task)
        display.update({
          ...task,
          processed_files: task.processedFiles,
          total_files: task.totalFiles,
          eta_seconds: task.etaSeconds,
        });
    });
  });
  return () => {
    unsubscribe();
    display.stop();
  };
}

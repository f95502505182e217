import { type Execution } from '../api/answers.js';
import { ActionButton } from '../parts/action-button.js';

interface CancelButtonProps {
  execution: Execution;
  name: string;
  onDone: () => void;
}

export function CancelButton({ execution, name, onDone }: CancelButtonProps) {
  if (execution.cancel_requested_at !== null) return <span class="faint">cancelling…</span>;
  return (
    <ActionButton
      label="Cancel"
      subject={name}
      role="operator"
      question={{
        title: `Cancel the run of ${name}?`,
        text: 'What it has stored stays, and the index stays consistent. The next run goes on from there.',
        isDangerous: true,
      }}
      done="the run will stop at its next step."
      act={(api) => api.post(`api/v1/executions/${execution.id}/cancel`)}
      onDone={onDone}
    />
  );
}

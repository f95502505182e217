import { useId, useLayoutEffect, useRef, useState } from 'preact/hooks';

export interface Question {
  title: string;
  text: string;
  /** Whether a reason must be given. */
  needsReason?: boolean;
  isDangerous?: boolean;
}

interface ConfirmDialogProps {
  question: Question;
  confirmLabel: string;
  onConfirm: (reason: string) => void;
  onCancel: () => void;
}

/** The browser's own modal dialog: it keeps the focus inside, gives it back, and closes by Escape. */
export function ConfirmDialog({ question, confirmLabel, onConfirm, onCancel }: ConfirmDialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const [reason, setReason] = useState('');
  const titleId = useId();
  useLayoutEffect(() => dialog.current?.showModal(), []);
  return (
    <dialog ref={dialog} aria-labelledby={titleId} onClose={onCancel}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          // Before it leaves the page, or the focus would have nowhere to go back to.
          dialog.current?.close();
          onConfirm(reason.trim());
        }}
      >
        <h2 id={titleId}>{question.title}</h2>
        <p>{question.text}</p>
        {question.needsReason && (
          <label class="field">
            Reason, kept in the audit log
            <input
              required
              maxLength={500}
              value={reason}
              onInput={(event) => setReason(event.currentTarget.value)}
            />
          </label>
        )}
        <div class="row end">
          <button type="button" onClick={() => dialog.current?.close()}>
            Keep as it is
          </button>
          <button type="submit" class={question.isDangerous ? 'danger' : 'primary'}>
            {confirmLabel}
          </button>
        </div>
      </form>
    </dialog>
  );
}

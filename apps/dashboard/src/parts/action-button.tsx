import { useId, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { type Api } from '../api/api.js';
import { type Role } from '../api/schema.js';
import { useSession } from '../state/session.js';
import { failureOf } from '../state/use-load.js';
import { useAnnounce } from './announcer.js';
import { TextField } from './forms.js';

interface Question {
  title: string;
  text: string;
  needsReason?: boolean;
  isDangerous?: boolean;
}

interface ActionButtonProps {
  label: string;
  /** What the action applies to, for screen readers and announcements. */
  subject: string;
  /** The role that the action needs. */
  role: Role;
  /** Asked before an action that is not easily undone. */
  question?: Question;
  /** Announced on success. */
  done: string;
  /** @param reason the user's reason, where the question needs one. */
  act: (api: Api, reason: string) => Promise<unknown>;
  onDone: () => void;
}

/** A button for a change. Hidden from a token whose role is known not to allow the change. */
export function ActionButton({ label, subject, role, question, done, act, onDone }: ActionButtonProps) {
  const session = useSession();
  const announce = useAnnounce();
  const [isAsking, setIsAsking] = useState(false);
  const [isBusy, setIsBusy] = useState(false);
  if (!session.can(role)) return null;

  const run = async (reason: string): Promise<void> => {
    setIsAsking(false);
    setIsBusy(true);
    try {
      await act(session.api, reason);
      announce({ text: `${subject}: ${done}`, isBad: false });
    } catch (thrown) {
      const { message, code } = failureOf(thrown);
      announce({ text: `${subject}: ${message} (${code})`, isBad: true });
    }
    setIsBusy(false);
    onDone();
  };
  return (
    <>
      <button
        type="button"
        class={question?.isDangerous ? 'danger' : ''}
        aria-label={`${label}: ${subject}`}
        // `disabled` would take the keyboard focus away.
        aria-disabled={isBusy}
        onClick={() => {
          if (isBusy) return;
          if (question) setIsAsking(true);
          else void run('');
        }}
      >
        {isBusy ? `${label}…` : label}
      </button>
      {question && isAsking && (
        <ConfirmDialog
          question={question}
          confirmLabel={label}
          onConfirm={(reason) => void run(reason)}
          onCancel={() => setIsAsking(false)}
        />
      )}
    </>
  );
}

interface ConfirmDialogProps {
  question: Question;
  confirmLabel: string;
  onConfirm: (reason: string) => void;
  onCancel: () => void;
}

/** The browser's modal dialog: it keeps the focus inside, restores it on close, and closes on Escape. */
function ConfirmDialog({ question, confirmLabel, onConfirm, onCancel }: ConfirmDialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const [reason, setReason] = useState('');
  const titleId = useId();
  useLayoutEffect(() => dialog.current?.showModal(), []);
  return (
    <dialog ref={dialog} aria-labelledby={titleId} onClose={onCancel}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          // Closes before the dialog is removed, so that the focus goes back to the button.
          dialog.current?.close();
          onConfirm(reason.trim());
        }}
      >
        <h2 id={titleId}>{question.title}</h2>
        <p>{question.text}</p>
        {question.needsReason && (
          <TextField
            label="Reason (recorded in the audit log)"
            required
            maxLength={500}
            value={reason}
            onInput={(event) => setReason(event.currentTarget.value)}
          />
        )}
        <div class="row end">
          <button type="button" onClick={() => dialog.current?.close()}>
            Go back
          </button>
          <button type="submit" class={question.isDangerous ? 'danger' : 'primary'}>
            {confirmLabel}
          </button>
        </div>
      </form>
    </dialog>
  );
}

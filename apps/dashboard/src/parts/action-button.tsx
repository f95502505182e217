import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { useElementId } from './element-id.js';
import { type Api } from '../api/api.js';
import { type Role } from '../api/schema.js';
import { useSession } from '../state/session.js';
import { failureOf } from '../state/use-load.js';
import { useAnnounce } from './announcer.js';
import { TextField } from './forms.js';

interface Confirmation {
  title: string;
  text: string;
  /** Default: the label of the button that opens the dialog. */
  confirmLabel?: string;
  needsReason?: boolean;
  isDangerous?: boolean;
}

interface ActionButtonProps {
  label: string;
  /** What the action applies to, for screen readers and announcements. */
  subject: string;
  /** The role that the action needs. */
  role: Role;
  /** Shown before an action that is hard to undo. */
  confirmation?: Confirmation;
  /** Announced on success. */
  done: string;
  /** @param reason the user's reason, if the confirmation needs one. */
  act: (api: Api, reason: string) => Promise<unknown>;
  onDone: () => void;
}

/** A button for a change. Hidden from a token whose role is known not to allow the change. */
export function ActionButton({ label, subject, role, confirmation, done, act, onDone }: ActionButtonProps) {
  const session = useSession();
  const announce = useAnnounce();
  const [isConfirming, setIsConfirming] = useState(false);
  const [isBusy, setIsBusy] = useState(false);
  if (!session.can(role)) return null;

  const run = async (reason: string): Promise<void> => {
    setIsConfirming(false);
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
        class={confirmation?.isDangerous ? 'danger' : ''}
        aria-label={`${label}: ${subject}`}
        // `disabled` would remove the keyboard focus.
        aria-disabled={isBusy}
        onClick={() => {
          if (isBusy) return;
          if (confirmation) setIsConfirming(true);
          else void run('');
        }}
      >
        {isBusy ? `${label}…` : label}
      </button>
      {confirmation && isConfirming && (
        <ConfirmDialog
          confirmation={confirmation}
          confirmLabel={confirmation.confirmLabel ?? label}
          onConfirm={(reason) => void run(reason)}
          onCancel={() => setIsConfirming(false)}
        />
      )}
    </>
  );
}

interface ConfirmDialogProps {
  confirmation: Confirmation;
  confirmLabel: string;
  onConfirm: (reason: string) => void;
  onCancel: () => void;
}

/** The browser's modal dialog: it keeps the focus inside, restores it on close, and closes on Escape. */
function ConfirmDialog({ confirmation, confirmLabel, onConfirm, onCancel }: ConfirmDialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const [reason, setReason] = useState('');
  const titleId = useElementId();
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
        <h2 id={titleId}>{confirmation.title}</h2>
        <p>{confirmation.text}</p>
        {confirmation.needsReason && (
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
          <button type="submit" class={confirmation.isDangerous ? 'danger' : 'primary'}>
            {confirmLabel}
          </button>
        </div>
      </form>
    </dialog>
  );
}

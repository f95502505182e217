import { useState } from 'preact/hooks';
import { type Api } from '../api/api.js';
import { type Role } from '../api/schema.js';
import { useSession } from '../state/session.js';
import { failureOf } from '../state/use-load.js';
import { useAnnounce } from './announcer.js';
import { TextField, valuesOf } from './forms.js';
import { ModalDialog } from './modal-dialog.js';

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

function ConfirmDialog({ confirmation, confirmLabel, onConfirm, onCancel }: ConfirmDialogProps) {
  const { title, text, needsReason, isDangerous } = confirmation;
  return (
    <ModalDialog title={title} onClose={onCancel}>
      {(close) => (
        <form
          onSubmit={(event) => {
            event.preventDefault();
            const { reason = '' } = valuesOf(event);
            close();
            onConfirm(reason);
          }}
        >
          <p>{text}</p>
          {needsReason && (
            <TextField label="Reason (recorded in the audit log)" name="reason" required maxLength={500} />
          )}
          <div class="row end">
            <button type="button" onClick={close}>
              Go back
            </button>
            <button type="submit" class={isDangerous ? 'danger' : 'primary'}>
              {confirmLabel}
            </button>
          </div>
        </form>
      )}
    </ModalDialog>
  );
}

interface RemoveButtonProps extends Pick<ActionButtonProps, 'act' | 'onDone'> {
  /** What it removes, such as "token", and the name of this one. */
  kind: string;
  name: string;
  /** For screen readers and announcements; default: the name. */
  subject?: string;
  /** What the removal means. */
  text: string;
  label?: 'Remove' | 'Revoke';
}

/** Removes something that an admin set up, after a confirmation. */
export function RemoveButton({
  kind,
  name,
  text,
  label = 'Remove',
  subject = name,
  ...rest
}: RemoveButtonProps) {
  return (
    <ActionButton
      {...{ label, subject, ...rest }}
      role="admin"
      confirmation={{
        title: `${label} the ${kind} ${name}?`,
        text,
        confirmLabel: `${label} the ${kind}`,
        isDangerous: true,
      }}
      done={`${kind} ${label.toLowerCase()}d.`}
    />
  );
}

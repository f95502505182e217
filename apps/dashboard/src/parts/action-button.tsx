import { useState } from 'preact/hooks';
import { type Role } from '../api/answers.js';
import { type Api } from '../api/api.js';
import { failureOf } from '../state/use-load.js';
import { useSession } from '../state/session.js';
import { ConfirmDialog, type Question } from './confirm-dialog.js';
import { useAnnounce } from './announcer.js';

export interface ActionButtonProps {
  label: string;
  /** Of what, for those who hear the button without seeing where it stands. */
  subject: string;
  role: Role;
  /** Asked first, where the step is not easily taken back. */
  question?: Question;
  /** Said when it is done. */
  done: string;
  /** @param reason what was given, where the question asks for one. */
  act: (api: Api, reason: string) => Promise<unknown>;
  onDone: () => void;
}

/** A step that changes something. Not offered to a token whose role is known not to allow it. */
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
        // Not `disabled`, which would take the keyboard's focus away.
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

import { createContext, type ComponentChildren } from 'preact';
import { useContext, useRef, useState } from 'preact/hooks';
import { type Api, type ApiFailure } from '../../api/api.js';
import { useAnnounce } from '../../parts/announcer.js';
import { valuesOf } from '../../parts/forms.js';
import { ModalDialog } from '../../parts/modal-dialog.js';
import { useSession } from '../../state/session.js';
import { failureOf } from '../../state/use-load.js';

export type Values = Readonly<Record<string, string>>;

export interface FormProps<Result> {
  submitLabel: string;
  isDangerous?: boolean;
  /** Sends the form. A refused field gets the focus. */
  act: (api: Api, values: Values) => Promise<Result>;
  /** Announced on success. */
  done?: string;
  onDone: (result: Result) => void;
  /** Shows a button that leaves the form. */
  onCancel?: () => void;
  children: ComponentChildren;
}

export function Form<Result>(props: FormProps<Result>) {
  const { submitLabel, isDangerous = false, act, done, onDone, onCancel, children } = props;
  const { api } = useSession();
  const announce = useAnnounce();
  const [failure, setFailure] = useState<ApiFailure | null>(null);
  const [isBusy, setIsBusy] = useState(false);
  const form = useRef<HTMLFormElement>(null);

  const send = async (event: Event): Promise<void> => {
    event.preventDefault();
    if (isBusy) return;
    const values = valuesOf(event);
    setIsBusy(true);
    setFailure(null);
    markRefused(form.current, []);
    try {
      const result = await act(api, values);
      if (done !== undefined) announce({ text: done, isBad: false });
      onDone(result);
    } catch (thrown) {
      const refused = failureOf(thrown);
      setFailure(refused);
      markRefused(form.current, refused.fields);
    }
    setIsBusy(false);
  };
  return (
    <form ref={form} class="form" onSubmit={(event) => void send(event)}>
      {children}
      {failure && (
        <p class="notice notice-bad" role="alert">
          {failure.message} <code>{failure.code}</code>
        </p>
      )}
      <div class="row end">
        {onCancel && (
          <button type="button" onClick={onCancel}>
            Go back
          </button>
        )}
        <button type="submit" class={isDangerous ? 'danger' : 'primary'} aria-disabled={isBusy}>
          {isBusy ? `${submitLabel}…` : submitLabel}
        </button>
      </div>
    </form>
  );
}

/** Marks the fields that the service refused, and moves the focus to the first one. */
function markRefused(form: HTMLFormElement | null, refused: readonly string[]): void {
  const marked = [...(form?.elements ?? [])].filter((element) => {
    const name = element.getAttribute('name');
    const isRefused = name !== null && refused.some((field) => field === name || field.endsWith(`.${name}`));
    element.toggleAttribute('data-refused', isRefused);
    if (isRefused) element.setAttribute('aria-invalid', 'true');
    else element.removeAttribute('aria-invalid');
    return isRefused;
  });
  (marked[0] as HTMLElement | undefined)?.focus();
}

/** Closes the dialog around. */
const CloseContext = createContext<() => void>(() => undefined);

export const useClose = () => useContext(CloseContext);

interface FormDialogProps<Result> extends Omit<FormProps<Result>, 'onCancel'> {
  title: string;
}

/** A form in the dialog of a {@link DialogButton}. */
export function FormDialog<Result>({ title, onDone, ...form }: FormDialogProps<Result>) {
  return (
    <ModalDialog title={title} onClose={useClose()}>
      {(close) => (
        <Form
          {...form}
          onCancel={close}
          onDone={(result) => {
            close();
            onDone(result);
          }}
        />
      )}
    </ModalDialog>
  );
}

interface DialogButtonProps {
  label: string;
  /** What it is about, for screen readers. */
  subject?: string;
  class?: string;
  /** The dialog, which is drawn while it is open. */
  children: ComponentChildren;
}

/** A button that opens a dialog. */
export function DialogButton({ label, subject, class: look = '', children }: DialogButtonProps) {
  const [isOpen, setIsOpen] = useState(false);
  return (
    <>
      <button
        type="button"
        class={look}
        aria-label={subject && `${label}: ${subject}`}
        onClick={() => setIsOpen(true)}
      >
        {label}
      </button>
      {isOpen && <CloseContext.Provider value={() => setIsOpen(false)}>{children}</CloseContext.Provider>}
    </>
  );
}

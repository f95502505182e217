import { type ComponentChildren } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { useElementId } from './element-id.js';

interface ModalDialogProps {
  title: ComponentChildren;
  isWide?: boolean;
  onClose: () => void;
  /** @param close call it before the dialog is removed: then the focus goes back to where it was. */
  children: (close: () => void) => ComponentChildren;
}

/** The browser's modal dialog: it keeps the focus inside, restores it on close, and closes on Escape. */
export function ModalDialog({ title, isWide = false, onClose, children }: ModalDialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const titleId = useElementId();
  useLayoutEffect(() => dialog.current?.showModal(), []);
  return (
    <dialog ref={dialog} class={isWide ? 'is-wide' : ''} aria-labelledby={titleId} onClose={onClose}>
      <h2 id={titleId}>{title}</h2>
      {children(() => dialog.current?.close())}
    </dialog>
  );
}

interface ShownOnceProps {
  /** Stands before the name. */
  what: string;
  name: string;
  secret: string;
  onClose: () => void;
}

/** A secret that the service shows only when it is made. */
export function ShownOnce({ what, name, secret, onClose }: ShownOnceProps) {
  return (
    <div class="notice notice-good" role="status">
      <p>
        {what} <strong>{name}</strong>. Copy it now: it is not shown again.
      </p>
      <p class="row">
        <code class="breaking">{secret}</code>
        <button type="button" onClick={() => void navigator.clipboard?.writeText(secret)}>
          Copy
        </button>
        <button type="button" onClick={onClose}>
          Done
        </button>
      </p>
    </div>
  );
}

import { type ComponentChildren, type JSX } from 'preact';
import { useElementId } from './element-id.js';

type TextFieldProps = JSX.IntrinsicElements['input'] & {
  label: string;
  isWide?: boolean;
  hint?: ComponentChildren;
};

export function TextField({ label, isWide = false, hint, ...input }: TextFieldProps) {
  const hintId = useElementId();
  const field = (
    <label class={isWide ? 'field wide' : 'field'}>
      {label}
      <input {...input} {...(hint !== undefined && { 'aria-describedby': hintId })} />
    </label>
  );
  if (hint === undefined) return field;
  return (
    <div class="hinted">
      {field}
      <p class="hint" id={hintId}>
        {hint}
      </p>
    </div>
  );
}

interface SelectProps {
  label: string;
  name: string;
  value: string | undefined;
  /** Values and texts. */
  options: readonly (readonly [string, string])[];
  /** Whether there is a choice that does not filter. */
  hasAll?: boolean;
}

export function Select({ label, name, value = '', options, hasAll = true }: SelectProps) {
  const all = hasAll ? [['', 'All'] as const, ...options] : options;
  // A value from the URL applies even when it is not among the options.
  const shown = all.some(([option]) => option === value) ? all : [[value, value] as const, ...all];
  return (
    <label class="field">
      {label}
      <select name={name}>
        {shown.map(([option, text]) => (
          <option key={option} value={option} selected={option === value}>
            {text}
          </option>
        ))}
      </select>
    </label>
  );
}

/** The trimmed text fields by name of the form that sent the event. */
export function valuesOf(event: Event): Record<string, string> {
  const entries = [...new FormData(event.currentTarget as HTMLFormElement)];
  return Object.fromEntries(
    entries.map(([name, value]) => [name, typeof value === 'string' ? value.trim() : '']),
  );
}

import { type ComponentChildren, type JSX } from 'preact';
import { useElementId } from './element-id.js';

type TextFieldProps = JSX.IntrinsicElements['input'] & { label: string; hint?: ComponentChildren };

export function TextField({ label, hint, ...input }: TextFieldProps) {
  const hintId = useElementId();
  const field = (
    <label class="field">
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

type NumberFieldProps = Pick<TextFieldProps, 'label' | 'name' | 'hint' | 'required' | 'min'> & {
  value: number | null | undefined;
};

export function NumberField({ value, ...props }: NumberFieldProps) {
  return <TextField type="number" min={1} defaultValue={value ?? ''} {...props} />;
}

/** A token, which is not shown, kept or checked for spelling. */
export function SecretField(props: Pick<TextFieldProps, 'label' | 'hint' | 'required' | 'aria-describedby'>) {
  return <TextField name="token" type="password" autoComplete="off" spellcheck={false} {...props} />;
}

interface SelectProps {
  label: string;
  name: string;
  value: string | undefined;
  /** Values and texts. */
  options: readonly (readonly [string, string])[];
  /** Whether a choice does not filter. */
  hasAll?: boolean;
}

export function Select({ label, name, value = '', options, hasAll = false }: SelectProps) {
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

interface FilterFormProps {
  label: string;
  isSearch?: boolean;
  /** Gets the values of the fields when one changes. */
  onChange: (values: Record<string, string>) => void;
  children: ComponentChildren;
}

/** The fields that filter a list. */
export function FilterForm({ label, isSearch = false, onChange, children }: FilterFormProps) {
  const apply = (event: Event): void => {
    event.preventDefault();
    onChange(valuesOf(event));
  };
  return (
    <form
      class="filters"
      {...(isSearch && { role: 'search' })}
      aria-label={label}
      onChange={apply}
      onSubmit={apply}
    >
      {children}
    </form>
  );
}

/** The trimmed text fields by name of the form that sent the event. */
export function valuesOf(event: Event): Record<string, string> {
  const entries = [...new FormData(event.currentTarget as HTMLFormElement)];
  return Object.fromEntries(
    entries.map(([name, value]) => [name, typeof value === 'string' ? value.trim() : '']),
  );
}

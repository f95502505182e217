interface SelectProps {
  label: string;
  name: string;
  value: string | undefined;
  /** Value and text. */
  options: readonly (readonly [string, string])[];
  /** Text of the choice that chooses nothing; null offers none. */
  all?: string | null;
}

export function Select({ label, name, value = '', options, all = 'all' }: SelectProps) {
  const isListed = value === '' || options.some(([option]) => option === value);
  return (
    <label class="field">
      {label}
      <select name={name}>
        {all !== null && (
          <option value="" selected={value === ''}>
            {all}
          </option>
        )}
        {/* What an address asks for is in force, and must be seen to be. */}
        {!isListed && (
          <option value={value} selected>
            {value}
          </option>
        )}
        {options.map(([option, text]) => (
          <option key={option} value={option} selected={option === value}>
            {text}
          </option>
        ))}
      </select>
    </label>
  );
}

import type { Signal } from '@preact/signals';

interface FieldProps {
  label: string;
  value: Signal<string>;
  type?: 'text' | 'password' | 'number' | 'datetime-local';
  min?: string;
  required?: boolean;
}

/** A text field with its label above it. The browser stores nothing of it. */
export function Field({ label, value, type = 'text', ...rest }: FieldProps) {
  return (
    <label class="field">
      <span>{label}</span>
      <input
        {...rest}
        type={type as 'text'}
        autoComplete="off"
        spellcheck={false}
        value={value.value}
        onInput={(event) => {
          value.value = event.currentTarget.value;
        }}
      />
    </label>
  );
}

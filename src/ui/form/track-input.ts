import type { FieldValues, UseFormReset } from 'react-hook-form';

/**
 * Tracks the input of a form from the moment at which it is sent. The returned function takes over what the service has stored; a field
 * that was changed meanwhile keeps its input and stays unsaved.
 */
export function trackInput<Values extends FieldValues>(form: {
  getValues: () => Values;
  reset: UseFormReset<Values>;
}): (stored: Values) => void {
  const sent = new Map(
    Object.entries(form.getValues()).map(([name, value]) => [name, JSON.stringify(value)]),
  );
  return (stored) => {
    const changed = Object.entries(form.getValues()).filter(
      ([name, value]) => sent.get(name) !== JSON.stringify(value),
    );
    form.reset(stored);
    if (changed.length > 0)
      form.reset({ ...stored, ...Object.fromEntries(changed) }, { keepDefaultValues: true });
  };
}

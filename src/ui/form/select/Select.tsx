import { ChevronDown } from 'lucide-react';
import { useId } from 'react';
import type { Ref } from 'react';
import { Button } from 'react-aria-components/Button';
import { Select as AriaSelect, SelectValue } from 'react-aria-components/Select';
import { cx } from '../../cx.ts';
import { OptionList } from './OptionList.tsx';
import type { FieldOption } from './OptionList.tsx';
import '../form.css';

export interface SelectProps<Value extends string | number> {
  /** Name of the list, and of the trigger where no element names it. */
  label: string;
  /** Id of the element that names the trigger. */
  labelledBy?: string | undefined;
  /** Id of the trigger. */
  id?: string;
  describedBy?: string | undefined;
  options: readonly (FieldOption & { value: Value })[];
  /** Null or undefined without a choice. */
  value: Value | null | undefined;
  onChange: (value: Value) => void;
  onBlur?: () => void;
  placeholder?: string;
  /** Adds a field above a long list that filters it by label. */
  searchable?: boolean;
  isInvalid?: boolean;
  autoFocus?: boolean;
  /** Class of the trigger, for its place in a layout. */
  className?: string;
  ref?: Ref<HTMLButtonElement>;
}

/** Selects one of several options; the one select of the console, in forms, filters and mappings. */
export function Select<Value extends string | number>({
  label,
  labelledBy,
  id,
  describedBy,
  options,
  value,
  onChange,
  onBlur,
  placeholder = 'Choose',
  searchable = false,
  isInvalid = false,
  autoFocus = false,
  className,
  ref,
}: SelectProps<Value>) {
  const selected = options.find((option) => option.value === value);
  return (
    <AriaSelect
      className="select"
      aria-label={labelledBy === undefined ? label : undefined}
      aria-labelledby={labelledBy}
      aria-describedby={describedBy}
      isInvalid={isInvalid}
      validationBehavior="aria"
      placeholder={placeholder}
      value={selected?.value ?? null}
      // oxlint-disable-next-line jsx-a11y/no-autofocus -- the caller decides where the focus goes
      autoFocus={autoFocus}
      onChange={(next) => {
        const option = options.find((one) => one.value === next);
        if (option) onChange(option.value);
      }}
      {...(onBlur && { onBlur })}
    >
      <Button ref={ref} id={id} className={cx('input select-trigger', className)}>
        <SelectValue className="select-value">
          {selected?.icon}
          {selected?.icon === undefined ? (selected?.label ?? placeholder) : <span>{selected.label}</span>}
        </SelectValue>
        <ChevronDown />
      </Button>
      <OptionList label={label} options={options} searchable={searchable} />
    </AriaSelect>
  );
}

/** Select with a visible label, outside of a form; `className` is that of the element around both. */
export function LabelledSelect<Value extends string | number>({
  className,
  ...select
}: Omit<SelectProps<Value>, 'labelledBy'>) {
  const id = useId();
  return (
    <div className={className}>
      <span id={id} className="field-label">
        {select.label}
      </span>
      <Select {...select} labelledBy={id} />
    </div>
  );
}

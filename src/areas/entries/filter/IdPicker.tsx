import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { X } from 'lucide-react';
import { useDeferredValue, useRef, useState } from 'react';
import { ComboBox } from 'react-aria-components/ComboBox';
import { Input } from 'react-aria-components/Input';
import { toServiceError } from '../../../api/errors.ts';
import { OptionList } from '../../../ui/form/select/OptionList.tsx';
import type { FieldOption } from '../../../ui/form/select/OptionList.tsx';
import '../../../ui/form/form.css';

interface IdPickerProps {
  label: string;
  /** Part of the cache key that distinguishes the options of one picker from those of another. */
  queryKey: string;
  loadOptions: (text: string, signal: AbortSignal) => Promise<readonly FieldOption[]>;
  value: readonly number[];
  formatId: (id: number) => string;
  isMulti: boolean;
  onChange: (ids: readonly number[]) => void;
}

/** Combobox for one or several ids, shown as chips. Options are searched by name while typing. */
export function IdPicker({
  label,
  queryKey,
  loadOptions,
  value: selectedIds,
  formatId,
  isMulti,
  onChange,
}: IdPickerProps) {
  const [text, setText] = useState('');
  const input = useRef<HTMLInputElement>(null);
  const searchText = useDeferredValue(text.trim());
  const [hasFocused, setHasFocused] = useState(false);
  const {
    data: options = [],
    error,
    isFetching,
  } = useQuery({
    queryKey: ['pick', queryKey, searchText],
    queryFn: ({ signal }) => loadOptions(searchText, signal),
    enabled: hasFocused,
    placeholderData: keepPreviousData,
    gcTime: 0,
  });
  const items = options.filter(({ value }) => !selectedIds.includes(Number(value)));
  return (
    <div className="pick">
      {selectedIds.map((id) => (
        <span key={id} className="chip">
          <bdi>{formatId(id)}</bdi>
          <button
            type="button"
            aria-label={`Remove ${formatId(id)}`}
            onClick={() => {
              onChange(selectedIds.filter((other) => other !== id));
              input.current?.focus();
            }}
          >
            <X />
          </button>
        </span>
      ))}
      {(isMulti || selectedIds.length === 0) && (
        <ComboBox
          items={items}
          inputValue={text}
          onInputChange={setText}
          menuTrigger="focus"
          value={null}
          onChange={(id) => {
            if (typeof id !== 'number') return;
            setText('');
            onChange(isMulti ? [...selectedIds, id] : [id]);
          }}
          allowsEmptyCollection={text.trim() !== '' && !isFetching && error === null}
          aria-label={label}
          onFocus={() => setHasFocused(true)}
        >
          <Input ref={input} className="input" placeholder="Search by name" />
          <OptionList label={label} />
        </ComboBox>
      )}
      {error !== null && <p className="field-error">{toServiceError(error).message}</p>}
    </div>
  );
}

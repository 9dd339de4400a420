import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { X } from 'lucide-react';
import { useDeferredValue, useRef, useState } from 'react';
import { ComboBox, Input } from 'react-aria-components';
import { toServiceError } from '../../../api/errors.ts';
import { OptionList } from '../../../ui/form/options.tsx';
import type { FieldOption } from '../../../ui/form/options.tsx';
import '../../../ui/form/form.css';

interface PickBoxProps {
  label: string;
  /** What tells the questions of one box from those of another. */
  topic: string;
  find: (typed: string, signal: AbortSignal) => Promise<readonly FieldOption[]>;
  chosen: readonly number[];
  nameOf: (id: number) => string;
  many: boolean;
  onChange: (ids: readonly number[]) => void;
}

/** Finds by name and takes one or several; of thousands only those that match what was typed are offered. */
export function PickBox({ label, topic, find, chosen, nameOf, many, onChange }: PickBoxProps) {
  const [typed, setTyped] = useState('');
  const input = useRef<HTMLInputElement>(null);
  const asked = useDeferredValue(typed.trim());
  const [open, setOpen] = useState(false);
  const {
    data: found = [],
    error,
    isFetching,
  } = useQuery({
    queryKey: ['pick', topic, asked],
    queryFn: ({ signal }) => find(asked, signal),
    enabled: open,
    placeholderData: keepPreviousData,
    gcTime: 0,
  });
  const offered = found.filter(({ value }) => !chosen.includes(Number(value)));
  return (
    <div className="pick">
      {chosen.map((id) => (
        <span key={id} className="chip">
          <bdi>{nameOf(id)}</bdi>
          <button
            type="button"
            aria-label={`Remove ${nameOf(id)}`}
            onClick={() => {
              onChange(chosen.filter((one) => one !== id));
              input.current?.focus();
            }}
          >
            <X />
          </button>
        </span>
      ))}
      {(many || chosen.length === 0) && (
        <ComboBox
          items={offered}
          inputValue={typed}
          onInputChange={setTyped}
          menuTrigger="focus"
          value={null}
          onChange={(id) => {
            if (typeof id !== 'number') return;
            setTyped('');
            onChange(many ? [...chosen, id] : [id]);
          }}
          allowsEmptyCollection={typed.trim() !== '' && !isFetching && error === null}
          aria-label={label}
          onFocus={() => setOpen(true)}
        >
          <Input ref={input} className="input" placeholder="Find by name" />
          <OptionList label={label} />
        </ComboBox>
      )}
      {error !== null && <p className="field-error">{toServiceError(error).message}</p>}
    </div>
  );
}

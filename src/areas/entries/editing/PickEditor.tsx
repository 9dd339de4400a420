import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { X } from 'lucide-react';
import { useDeferredValue, useEffect, useEffectEvent, useId, useLayoutEffect, useRef, useState } from 'react';
import type { KeyboardEvent } from 'react';
import { Popover } from 'react-aria-components';
import { FIELD } from '../../../../contract/rules/fields.ts';
// A list under an input that keeps the focus (ARIA, "combobox"): no element of HTML is one.
/* oxlint-disable jsx-a11y/prefer-tag-over-role */
import type { FieldValueItem, NamedValue } from '../../../api/generated/types.gen.ts';
import { cx } from '../../../ui/cx.ts';
import { usePeopleFinder } from '../model/people.ts';
import type { Field } from '../model/schema.ts';
import { isNamed, itemText, itemsOf } from '../model/values.ts';
import { findCandidates } from './candidates.ts';
import type { Candidate } from './candidates.ts';
import { onwardOf } from './cell-keys.ts';
import type { EditorProps, Onward } from './Editor.tsx';
import { turn } from './turn.ts';
import { useLeaving } from './use-leaving.ts';
import '../../../ui/form/options.css';

const sameItem = (a: FieldValueItem, b: FieldValueItem): boolean =>
  isNamed(a) && isNamed(b) ? a.id === b.id : a === b;

function hintOf({ fieldType }: Field): string {
  if (fieldType === FIELD.boolean) return 'Yes or no';
  return fieldType === FIELD.choice ? 'Choose, or find by name' : 'Find by name';
}

/** Choices, people, entries, yes and no: found by typing; of several values each is a chip. */
export function PickEditor(props: EditorProps) {
  const { field, value, seed, inCell, describedBy, invalid = false, id, onCommit, onCancel } = props;
  const many = field.isMultiSelect;
  const [begun] = useState(itemsOf(value));
  const [held, setHeld] = useState(begun);
  // A form follows what is staged and undone elsewhere; a cell has its own until it is left.
  const chosen = inCell ? held : itemsOf(value);
  const [typed, setTyped] = useState(seed ?? '');
  const [open, setOpen] = useState(false);
  // Only what was typed or gone to is taken by Enter: opening alone changes nothing.
  const [active, setActive] = useState(seed === undefined ? -1 : 0);
  const box = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => turn(box.current), []);
  const input = useRef<HTMLInputElement>(null);
  const settled = useRef(false);
  const listId = useId();
  const { found, isFinding } = useCandidates(props, typed, open);
  const offered = many ? found.filter((one) => !chosen.some((item) => sameItem(item, one.value))) : found;
  const at = Math.min(active, offered.length - 1);
  const [single] = chosen;
  const singleText = many || single === undefined ? '' : itemText(single, field);

  const commit = (items: readonly FieldValueItem[], onward: Onward) => {
    if (settled.current) return;
    settled.current = inCell;
    onCommit(many ? (items.length > 0 ? [...items] : undefined) : items[0], onward);
  };
  useLeaving(() => {
    if (inCell && held !== begun) commit(held, 'stay');
  });
  const change = (items: readonly FieldValueItem[]) => {
    setHeld(items);
    setTyped('');
    setActive(-1);
    if (!inCell) commit(items, 'stay');
  };
  const take = ({ value: taken }: Candidate, onward: Onward) => {
    if (many) {
      change([...chosen, taken]);
      input.current?.focus();
      return;
    }
    setOpen(false);
    setTyped('');
    commit([taken], onward);
  };
  const go = (onward: Onward) => {
    const candidate = offered[at];
    if (open && candidate) take(candidate, onward);
    else if (inCell && (typed === '' || many)) commit(chosen, onward);
  };
  // Whoever types fast presses Enter before what was typed is found: it is taken as soon as it is.
  const due = useRef<Onward>(undefined);
  const goWhenFound = useEffectEvent(() => {
    const onward = due.current;
    due.current = undefined;
    if (onward) go(onward);
  });
  useEffect(() => {
    if (!isFinding) goWhenFound();
  }, [isFinding]);
  const keyed = (event: KeyboardEvent) => {
    if (event.nativeEvent.isComposing) return;
    const onward = onwardOf(event);
    due.current = undefined;
    if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
      event.preventDefault();
      setOpen(true);
      const step = event.key === 'ArrowDown' ? 1 : -1;
      if (open) setActive(Math.max(0, Math.min(offered.length - 1, at + step)));
    } else if (event.key === 'Escape') {
      if (!inCell && !open) return;
      event.stopPropagation();
      setOpen(false);
      setTyped('');
      settled.current = inCell;
      onCancel();
    } else if (event.key === 'Backspace' && typed === '' && chosen.length > 0) {
      change(chosen.slice(0, -1));
    } else if (onward) {
      if (!inCell && event.key === 'Tab') return;
      event.preventDefault();
      if (isFinding) due.current = onward;
      else go(onward);
    }
  };
  return (
    <div
      ref={box}
      className={cx('input ed-pick', inCell && 'ed-cell')}
      onPointerDown={(event) => event.stopPropagation()}
    >
      {many &&
        chosen.map((item, place) => (
          <Chip
            // oxlint-disable-next-line react/no-array-index-key -- a list may hold the same value twice
            key={place}
            label={itemText(item, field)}
            onRemove={() => {
              change(chosen.filter((_, other) => other !== place));
              input.current?.focus();
            }}
          />
        ))}
      <input
        ref={input}
        id={id}
        role="combobox"
        aria-label={id === undefined ? field.name : undefined}
        aria-expanded={open}
        aria-controls={listId}
        aria-autocomplete="list"
        aria-activedescendant={open && offered[at] ? `${listId}-${at}` : undefined}
        aria-invalid={invalid || undefined}
        aria-describedby={describedBy}
        autoComplete="off"
        // The cell was opened to choose.
        // oxlint-disable-next-line jsx-a11y/no-autofocus
        autoFocus={inCell}
        placeholder={singleText === '' ? (many && chosen.length > 0 ? undefined : hintOf(field)) : singleText}
        value={open || typed !== '' ? typed : singleText}
        onChange={({ target }) => {
          setTyped(target.value);
          setActive(target.value === '' ? -1 : 0);
          setOpen(true);
        }}
        // A frame later: the focus brings the cell into view, and a list that is open closes when its page is scrolled.
        onFocus={({ currentTarget }) =>
          requestAnimationFrame(() => setOpen(document.activeElement === currentTarget))
        }
        onClick={() => setOpen(true)}
        onKeyDown={keyed}
        onBlur={() => {
          setOpen(false);
          setTyped('');
          if (inCell) commit(chosen, 'stay');
        }}
      />
      <Popover
        triggerRef={box}
        className="options ed-options"
        isOpen={open}
        isNonModal
        offset={2}
        placement="bottom start"
        onOpenChange={setOpen}
      >
        <Options
          {...{ listId, offered, at, isFinding }}
          label={field.name}
          isChosen={(one) => chosen.some((item) => sameItem(item, one))}
          onTake={(one) => take(one, 'stay')}
        />
      </Popover>
    </div>
  );
}

const NOBODY: readonly Candidate[] = [];

function useCandidates({ field, schema }: EditorProps, typed: string, open: boolean) {
  const asked = useDeferredValue(typed.trim());
  const findPeople = usePeopleFinder();
  const { data, isFetching } = useQuery({
    queryKey: ['candidates', field.id, field.choiceValues, asked],
    queryFn: ({ signal }) => findCandidates(field, { schema, findPeople }, asked, signal),
    enabled: open,
    placeholderData: keepPreviousData,
    gcTime: 0,
  });
  return { found: data ?? NOBODY, isFinding: isFetching || asked !== typed.trim() };
}

function Chip({ label, onRemove }: { label: string; onRemove: () => void }) {
  return (
    <span className="chip">
      <bdi>{label}</bdi>
      <button
        type="button"
        tabIndex={-1}
        aria-label={`Remove ${label}`}
        onPointerDown={(event) => event.preventDefault()}
        onClick={onRemove}
      >
        <X />
      </button>
    </span>
  );
}

interface OptionsProps {
  listId: string;
  label: string;
  offered: readonly Candidate[];
  at: number;
  isFinding: boolean;
  isChosen: (value: NamedValue | boolean) => boolean;
  onTake: (candidate: Candidate) => void;
}

/** The list under the input; the focus stays in the input, so a pointer must not take it. */
function Options({ listId, label, offered, at, isFinding, isChosen, onTake }: OptionsProps) {
  return (
    <div
      id={listId}
      role="listbox"
      aria-label={label}
      className="options-list"
      onPointerDown={(event) => event.preventDefault()}
    >
      {offered.map((one, place) => (
        // The input has the keys of its list (ARIA, "combobox").
        // oxlint-disable-next-line jsx-a11y/click-events-have-key-events, jsx-a11y/interactive-supports-focus
        <div
          key={typeof one.value === 'boolean' ? one.label : one.value.id}
          id={`${listId}-${place}`}
          role="option"
          className="option"
          aria-selected={isChosen(one.value)}
          data-focused={place === at ? '' : undefined}
          ref={place === at ? (node) => node?.scrollIntoView({ block: 'nearest' }) : undefined}
          onClick={() => onTake(one)}
        >
          <span>
            <bdi>{one.label}</bdi> {one.hint !== undefined && <span className="option-hint">{one.hint}</span>}
          </span>
        </div>
      ))}
      {offered.length === 0 && (
        <div className="options-none" role="option" aria-selected={false} aria-disabled>
          {isFinding ? 'Finding' : 'Nothing matches'}
        </div>
      )}
    </div>
  );
}

import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { X } from 'lucide-react';
import { useDeferredValue, useEffect, useEffectEvent, useId, useLayoutEffect, useRef, useState } from 'react';
import type { KeyboardEvent } from 'react';
import { Popover } from 'react-aria-components/Popover';
/* oxlint-disable jsx-a11y/prefer-tag-over-role -- HTML has no element for the list box of a combobox (ARIA) */
import type { FieldValueItem, NamedValue } from '../../../../../contract/generated/types.gen.ts';
import { FIELD } from '../../../../../contract/rules/schema/fields.ts';
import { toServiceError } from '../../../../api/errors.ts';
import { cx } from '../../../../ui/cx.ts';
import { useUserFinder } from '../../model/field-users.ts';
import type { Field } from '../../model/schema.ts';
import { isNamed, formatItem, toItems } from '../../model/values.ts';
import { findValueOptions } from '../value-options.ts';
import type { ValueOption } from '../value-options.ts';
import { flipAtGridEdge } from './CellNote.tsx';
import { getCommitMove, useOnRemove } from './editor-props.ts';
import '../../../../ui/form/select/options.css';
import type { EditorProps, CommitMove } from './editor-props.ts';

const isSameItem = (a: FieldValueItem, b: FieldValueItem): boolean =>
  isNamed(a) && isNamed(b) ? a.id === b.id : a === b;

function getPlaceholder({ fieldType }: Field): string {
  return fieldType === FIELD.choice ? 'Choose or search by name' : 'Search by name';
}

/** Editor of choices, users and references: options are searched by typing; multiple values are chips. */
export function OptionEditor(props: EditorProps) {
  const { field, value, typedText, inCell, describedBy, isInvalid = false, id, onCommit, onCancel } = props;
  const isMulti = field.isMultiSelect;
  const [initialItems] = useState(toItems(value));
  const [localItems, setLocalItems] = useState(initialItems);
  // A form follows values staged or undone elsewhere; a cell keeps its own until it is left.
  const selected = inCell ? localItems : toItems(value);
  const [text, setText] = useState(typedText ?? '');
  const [open, setOpen] = useState(false);
  // Enter selects an option only after typing or moving to it; opening the list alone changes nothing.
  const [active, setActive] = useState(typedText === undefined ? -1 : 0);
  const box = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => flipAtGridEdge(box.current), []);
  const input = useRef<HTMLInputElement>(null);
  const isSettled = useRef(false);
  const listId = useId();
  const { matches, isLoading, error } = useValueOptions(props, text, open);
  const options = isMulti
    ? matches.filter((option) => !selected.some((item) => isSameItem(item, option.value)))
    : matches;
  const activeIndex = Math.min(active, options.length - 1);
  const [single] = selected;
  const singleText = isMulti || single === undefined ? '' : formatItem(single, field);

  const commit = (items: readonly FieldValueItem[], move: CommitMove) => {
    if (isSettled.current) return;
    isSettled.current = inCell;
    onCommit(isMulti ? (items.length > 0 ? [...items] : undefined) : items[0], move);
  };
  useOnRemove(() => {
    if (inCell && localItems !== initialItems) commit(localItems, 'stay');
  });
  const change = (items: readonly FieldValueItem[]) => {
    setLocalItems(items);
    setText('');
    setActive(-1);
    if (!inCell) commit(items, 'stay');
  };
  const select = ({ value: option }: ValueOption, move: CommitMove) => {
    if (isMulti) {
      change([...selected, option]);
      input.current?.focus();
      return;
    }
    setOpen(false);
    setText('');
    commit([option], move);
  };
  const confirm = (move: CommitMove) => {
    const option = options[activeIndex];
    if (open && option) select(option, move);
    else if (inCell && (text === '' || isMulti)) commit(selected, move);
  };
  // Enter pressed before the options have loaded confirms as soon as they have.
  const pendingMove = useRef<CommitMove>(undefined);
  const confirmPending = useEffectEvent(() => {
    const move = pendingMove.current;
    pendingMove.current = undefined;
    if (move) confirm(move);
  });
  useEffect(() => {
    if (!isLoading) confirmPending();
  }, [isLoading]);
  const handleKeyDown = (event: KeyboardEvent) => {
    if (event.nativeEvent.isComposing) return;
    const move = getCommitMove(event);
    pendingMove.current = undefined;
    if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
      event.preventDefault();
      setOpen(true);
      const step = event.key === 'ArrowDown' ? 1 : -1;
      if (open) setActive(Math.max(0, Math.min(options.length - 1, activeIndex + step)));
    } else if (event.key === 'Escape') {
      if (!inCell && !open) return;
      event.stopPropagation();
      setOpen(false);
      setText('');
      isSettled.current = inCell;
      onCancel();
    } else if (event.key === 'Backspace' && text === '' && selected.length > 0) {
      change(selected.slice(0, -1));
    } else if (move) {
      if (!inCell && event.key === 'Tab') return;
      event.preventDefault();
      if (isLoading) pendingMove.current = move;
      else confirm(move);
    }
  };
  return (
    <div
      ref={box}
      className={cx('input ed-pick', inCell && 'ed-cell')}
      onPointerDown={(event) => event.stopPropagation()}
    >
      {isMulti &&
        selected.map((item, index) => (
          <Chip
            // oxlint-disable-next-line react/no-array-index-key -- values may repeat and have no other identity
            key={index}
            label={formatItem(item, field)}
            onRemove={() => {
              change(selected.filter((_, other) => other !== index));
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
        aria-activedescendant={open && options[activeIndex] ? `${listId}-${activeIndex}` : undefined}
        aria-invalid={isInvalid || undefined}
        aria-describedby={describedBy}
        autoComplete="off"
        // oxlint-disable-next-line jsx-a11y/no-autofocus -- the user opened the cell to edit it
        autoFocus={inCell}
        placeholder={
          singleText === ''
            ? isMulti && selected.length > 0
              ? undefined
              : getPlaceholder(field)
            : singleText
        }
        value={open || text !== '' ? text : singleText}
        onChange={({ target }) => {
          setText(target.value);
          setActive(target.value === '' ? -1 : 0);
          setOpen(true);
        }}
        // One frame later: focusing scrolls the cell into view, and scrolling closes an open list.
        onFocus={({ currentTarget }) =>
          requestAnimationFrame(() => setOpen(document.activeElement === currentTarget))
        }
        onClick={() => setOpen(true)}
        onKeyDown={handleKeyDown}
        onBlur={() => {
          setOpen(false);
          setText('');
          if (inCell) commit(selected, 'stay');
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
          {...{ listId, options, activeIndex, isLoading, error }}
          label={field.name}
          isSelected={(option) => selected.some((item) => isSameItem(item, option))}
          onSelect={(option) => select(option, 'stay')}
        />
      </Popover>
    </div>
  );
}

const NO_OPTIONS: readonly ValueOption[] = [];

function useValueOptions({ field, schema }: EditorProps, text: string, open: boolean) {
  const searchText = useDeferredValue(text.trim());
  const findUsers = useUserFinder();
  const { data, error, isFetching } = useQuery({
    queryKey: ['candidates', field.id, field.choiceValues, searchText],
    queryFn: ({ signal }) => findValueOptions(field, { schema, findUsers }, searchText, signal),
    enabled: open,
    placeholderData: keepPreviousData,
    gcTime: 0,
  });
  return { matches: data ?? NO_OPTIONS, error, isLoading: isFetching || searchText !== text.trim() };
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
  options: readonly ValueOption[];
  activeIndex: number;
  isLoading: boolean;
  error: Error | null;
  isSelected: (value: NamedValue) => boolean;
  onSelect: (candidate: ValueOption) => void;
}

/** The list of options. Pointer events must not move the focus out of the input. */
function Options(props: OptionsProps) {
  const { listId, label, options, activeIndex, isLoading, error, isSelected, onSelect } = props;
  return (
    <div
      id={listId}
      role="listbox"
      aria-label={label}
      className="options-list"
      onPointerDown={(event) => event.preventDefault()}
    >
      {options.map((option, index) => (
        // oxlint-disable-next-line jsx-a11y/click-events-have-key-events, jsx-a11y/interactive-supports-focus -- the input handles the keys of its list (ARIA combobox)
        <div
          key={option.value.id}
          id={`${listId}-${index}`}
          role="option"
          className="option"
          aria-selected={isSelected(option.value)}
          data-focused={index === activeIndex ? '' : undefined}
          ref={index === activeIndex ? (node) => node?.scrollIntoView({ block: 'nearest' }) : undefined}
          onClick={() => onSelect(option)}
        >
          <span>
            <bdi>{option.label}</bdi>{' '}
            {option.hint !== undefined && <span className="option-hint">{option.hint}</span>}
          </span>
        </div>
      ))}
      {options.length === 0 && (
        <div className="options-none" role="option" aria-selected={false} aria-disabled>
          {isLoading
            ? 'Searching'
            : error === null
              ? 'No matches'
              : `The options could not be loaded: ${toServiceError(error).message}`}
        </div>
      )}
    </div>
  );
}

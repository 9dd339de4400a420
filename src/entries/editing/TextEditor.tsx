import { useId, useRef, useState } from 'react';
import type { KeyboardEvent } from 'react';
import { FIELD, holdsMoney } from '../../../contract/rules/fields.ts';
import type { Field } from '../schema.ts';
import { useZone } from '../zone.ts';
import { cx } from '../../ui/cx.ts';
import { onwardOf } from './cell-keys.ts';
import { CellNote } from './CellNote.tsx';
import type { EditorProps, Onward } from './Editor.tsx';
import { turn } from './turn.ts';
import { readTyped, toTyped } from './typed.ts';
import { useLeaving } from './use-leaving.ts';

function hintOf(field: Field, zone: string): string | undefined {
  if (field.fieldType === FIELD.date) return field.isDateOnly ? 'YYYY-MM-DD' : `YYYY-MM-DD hh:mm in ${zone}`;
  return holdsMoney(field) ? '12.50 EUR' : undefined;
}

// Of more than that a browser reckons the height, and the spelling, anew at every key.
const LONG = 20_000;

/** Texts, numbers, amounts and dates: written, read when one goes on, and kept open while they do not fit. */
export function TextEditor(props: EditorProps) {
  const { field, value, seed, misfit, inCell, describedBy, invalid = false, id } = props;
  const { onCommit, onMisfit, onCancel } = props;
  const { name: zone } = useZone();
  const begun = toTyped(value, field, zone);
  const isLong = begun.length > LONG;
  const [text, setText] = useState(seed ?? misfit?.text ?? begun);
  const [fault, setFault] = useState(seed === undefined ? misfit?.fault : undefined);
  const faultId = useId();
  const settled = useRef(false);
  // What was typed since it was last taken.
  const untaken = useRef(false);

  // What was not touched stays exactly, down to what a line of text cannot show.
  const read = () => (text === begun ? { value } : readTyped(text, field, value, zone));
  const take = (typed: ReturnType<typeof read>, onward: Onward) => {
    if (!('value' in typed)) return;
    setFault(undefined);
    settled.current = inCell;
    untaken.current = false;
    onCommit(typed.value, onward);
  };
  const commit = (onward: Onward) => {
    if (settled.current) return;
    const typed = read();
    if ('fault' in typed) setFault(typed.fault);
    take(typed, onward);
  };
  /** Whoever typed has gone elsewhere: what fits is taken, what does not is held. */
  const leave = () => {
    if (settled.current) return;
    const typed = read();
    if (!('fault' in typed)) {
      take(typed, 'stay');
      return;
    }
    setFault(typed.fault);
    if (!onMisfit) return;
    settled.current = inCell;
    untaken.current = false;
    onMisfit({ text, fault: typed.fault });
  };
  useLeaving(() => {
    if (untaken.current) leave();
  });
  const keyed = (event: KeyboardEvent<HTMLTextAreaElement>) => {
    if (event.nativeEvent.isComposing) return;
    if (event.key === 'Escape') {
      if (!inCell && text === begun) return;
      event.stopPropagation();
      settled.current = inCell;
      untaken.current = false;
      setText(begun);
      setFault(undefined);
      onCancel();
      return;
    }
    if (!inCell) return;
    if (event.key === 'Enter' && event.altKey && field.fieldType === FIELD.text) {
      event.currentTarget.setRangeText(
        '\n',
        event.currentTarget.selectionStart,
        event.currentTarget.selectionEnd,
        'end',
      );
      setText(event.currentTarget.value);
      untaken.current = true;
      return;
    }
    const onward = onwardOf(event);
    if (!onward) return;
    event.preventDefault();
    commit(onward);
  };
  const described = [describedBy, fault !== undefined && faultId].filter(Boolean).join(' ');
  return (
    <>
      <textarea
        ref={inCell ? turn : undefined}
        id={id}
        className={cx('input ed-text', inCell && 'ed-cell', isLong && 'ed-long')}
        rows={1}
        // The cell was opened to write in it.
        // oxlint-disable-next-line jsx-a11y/no-autofocus
        autoFocus={inCell}
        aria-label={id === undefined ? field.name : undefined}
        aria-invalid={fault !== undefined || invalid || undefined}
        aria-describedby={described === '' ? undefined : described}
        inputMode={field.fieldType === FIELD.number ? 'decimal' : undefined}
        placeholder={hintOf(field, zone)}
        autoComplete="off"
        spellCheck={field.fieldType === FIELD.text && !isLong}
        value={text}
        onFocus={({ currentTarget }) => {
          if (seed !== undefined) currentTarget.setSelectionRange(text.length, text.length);
          else if (inCell) currentTarget.select();
        }}
        onChange={({ target }) => {
          setText(target.value);
          untaken.current = true;
          setFault(undefined);
        }}
        onKeyDown={keyed}
        onBlur={({ currentTarget }) => {
          // Whoever looks into another window comes back to the same place.
          if (document.activeElement !== currentTarget) leave();
        }}
      />
      {fault !== undefined &&
        (inCell ? (
          <CellNote id={faultId} role="alert">
            {fault}
          </CellNote>
        ) : (
          <span id={faultId} className="field-error" role="alert">
            {fault}
          </span>
        ))}
    </>
  );
}

import { useCallback, useId, useRef, useState } from 'react';
import type { KeyboardEvent } from 'react';
import { FIELD, holdsMoney } from '../../../../contract/rules/fields.ts';
import type { Field } from '../model/schema.ts';
import { useZone } from '../model/zone.ts';
import { cx } from '../../../ui/cx.ts';
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

/** A text as a browser gives it back: every end of a line is one sign. */
const asShown = (text: string): string => text.replaceAll(/\r\n?/g, '\n');

/** Texts, numbers, amounts and dates: written, read when one goes on, and kept open while they do not fit. */
export function TextEditor(props: EditorProps) {
  const { field, value, seed, misfit, inCell, describedBy, invalid = false, id } = props;
  const { onCommit, onMisfit, onCancel } = props;
  const { name: zone } = useZone();
  const begun = toTyped(value, field, zone);
  // The browser alone holds what is being typed: a text of a million characters is read when one goes on, not at each key.
  const box = useRef<HTMLTextAreaElement>(null);
  const hold = useCallback(
    (node: HTMLTextAreaElement | null) => {
      // Whoever leaves is asked what they wrote when the box has gone already.
      box.current = node ?? box.current;
      if (inCell) turn(node);
    },
    [inCell],
  );
  const [first] = useState(seed ?? misfit?.text ?? begun);
  const [isLong, setLong] = useState(Math.max(first.length, begun.length) > LONG);
  const [fault, setFault] = useState(seed === undefined ? misfit?.fault : undefined);
  const faultId = useId();
  const settled = useRef(false);
  // What was typed since it was last taken.
  const untaken = useRef(false);

  const written = () => box.current?.value ?? first;
  // What was not touched stays exactly, down to what a line of text cannot show.
  const isAsBegun = (text: string) => text === begun || text === asShown(begun);
  const read = (text: string) => (isAsBegun(text) ? { value } : readTyped(text, field, value, zone));
  const take = (typed: ReturnType<typeof read>, onward: Onward) => {
    if (!('value' in typed)) return;
    setFault(undefined);
    settled.current = inCell;
    untaken.current = false;
    onCommit(typed.value, onward);
  };
  const commit = (onward: Onward) => {
    if (settled.current) return;
    const typed = read(written());
    if ('fault' in typed) setFault(typed.fault);
    take(typed, onward);
  };
  /** Whoever typed has gone elsewhere: what fits is taken, what does not is held. */
  const leave = () => {
    if (settled.current) return;
    const text = written();
    const typed = read(text);
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
  const typedIn = ({ textLength }: HTMLTextAreaElement) => {
    untaken.current = true;
    setFault(undefined);
    if (textLength > LONG) setLong(true);
  };
  const keyed = (event: KeyboardEvent<HTMLTextAreaElement>) => {
    if (event.nativeEvent.isComposing) return;
    if (event.key === 'Escape') {
      if (!inCell && isAsBegun(event.currentTarget.value)) return;
      event.stopPropagation();
      settled.current = inCell;
      untaken.current = false;
      event.currentTarget.value = begun;
      setFault(undefined);
      onCancel();
      return;
    }
    if (!inCell) {
      if (event.key === 'Enter' && field.fieldType !== FIELD.text) event.preventDefault();
      return;
    }
    if (event.key === 'Enter' && event.altKey && field.fieldType === FIELD.text) {
      event.currentTarget.setRangeText(
        '\n',
        event.currentTarget.selectionStart,
        event.currentTarget.selectionEnd,
        'end',
      );
      typedIn(event.currentTarget);
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
        ref={hold}
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
        defaultValue={first}
        onFocus={({ currentTarget }) => {
          const { textLength } = currentTarget;
          if (seed !== undefined) currentTarget.setSelectionRange(textLength, textLength);
          else if (inCell) currentTarget.select();
        }}
        onChange={({ currentTarget }) => typedIn(currentTarget)}
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

import { Suspense, useCallback, useId, useRef, useState } from 'react';
import type { KeyboardEvent } from 'react';
import type { FieldValue } from '../../../../../contract/generated/types.gen.ts';
import { FIELD, isIdField, holdsMoney } from '../../../../../contract/rules/schema/fields.ts';
import { cx } from '../../../../ui/cx.ts';
import { lazyWithPreload } from '../../../../ui/lazy.tsx';
import { useDayShift } from '../../model/DateText.tsx';
import type { Field } from '../../model/schema.ts';
import { toRequestValue } from '../../model/values.ts';
import { useTimeZone } from '../../model/zone.ts';
import { parseInput, formatInput } from '../parse-input.ts';
import { CellNote, flipAtGridEdge } from './CellNote.tsx';
import type { EditorProps, CommitMove } from './editor-props.ts';
import { getCommitMove, useOnRemove } from './editor-props.ts';
import './editor.css';

/** Loaded with the first cell that needs it: the list box is larger than the rest of the grid's first load. */
const OptionEditor = lazyWithPreload(async () => ({
  default: (await import('./OptionEditor.tsx')).OptionEditor,
}));

const BooleanEditor = lazyWithPreload(async () => ({
  default: (await import('./BooleanEditor.tsx')).BooleanEditor,
}));

/** Parser of dates as people write them; until it is loaded a date is read only as ISO 8601. */
let dateText: typeof import('../../../../lib/dates/date-text.ts') | undefined;

const CalendarButton = lazyWithPreload(async () => {
  const [{ CalendarButton: button }, text] = await Promise.all([
    import('../../../../ui/form/CalendarButton.tsx'),
    import('../../../../lib/dates/date-text.ts'),
  ]);
  dateText = text;
  return { default: button };
});

/** Loads the editors that are not part of the first load, when the grid or a form gets the focus. */
export function preloadEditors(): void {
  for (const editor of [OptionEditor, BooleanEditor, CalendarButton]) editor.preload();
}

/** Editor of a value by its field type, in cells and in forms. */
export const Editor = (props: EditorProps) =>
  isIdField(props.field.fieldType) ? (
    <Suspense>
      <OptionEditor {...props} />
    </Suspense>
  ) : props.field.fieldType === FIELD.boolean ? (
    <Suspense>
      <BooleanEditor {...props} />
    </Suspense>
  ) : (
    // In forms the key remounts the editor when the staged value changes elsewhere; a cell keeps what is being typed.
    <TextEditor
      key={props.inCell ? 'cell' : JSON.stringify([toRequestValue(props.value), props.invalidInput?.text])}
      {...props}
    />
  );

function getPlaceholder(field: Field, zone: string): string | undefined {
  if (field.fieldType === FIELD.date) return field.isDateOnly ? 'YYYY-MM-DD' : `YYYY-MM-DD hh:mm in ${zone}`;
  return holdsMoney(field) ? '12.50 EUR' : undefined;
}

/** Above this length the editor has a fixed height and no spell check, which browsers recompute at every key. */
const LONG_TEXT_CHARS = 20_000;

/** Converts line ends to those a text area returns. */
const normalizeLineEnds = (text: string): string => text.replaceAll(/\r\n?/g, '\n');

/** Editor of texts, numbers, amounts and dates. The text is parsed on commit; the editor stays open while the text is invalid. */
function TextEditor(props: EditorProps) {
  const { field, value, typedText, invalidInput, inCell, describedBy, isInvalid = false, id } = props;
  const { onCommit, onInvalidInput, onCancel } = props;
  const { name: zone } = useTimeZone();
  const initialText = formatInput(value, field, zone);
  // Uncontrolled: a text of a million characters is read on commit, not at every key.
  const box = useRef<HTMLTextAreaElement>(null);
  const setBox = useCallback(
    (node: HTMLTextAreaElement | null) => {
      // Kept after the element is removed, since its text is read then (useOnRemove).
      box.current = node ?? box.current;
      if (inCell) flipAtGridEdge(node);
    },
    [inCell],
  );
  const [startText] = useState(typedText ?? invalidInput?.text ?? initialText);
  const [isLong, setLong] = useState(Math.max(startText.length, initialText.length) > LONG_TEXT_CHARS);
  const [error, setError] = useState(typedText === undefined ? invalidInput?.error : undefined);
  const errorId = useId();
  const shiftId = useId();
  const isDate = field.fieldType === FIELD.date;
  const [calendarValue, setCalendarValue] = useState<string>();
  // The value of the typed text, to warn before it is committed.
  const [typedValue, setTypedValue] = useState<FieldValue | undefined>(props.isChanged ? value : undefined);
  const dayShift = useDayShift({ value: typedValue, field });
  const isSettled = useRef(false);
  // Whether something was typed since the last commit.
  const isDirty = useRef(false);

  const getText = () => box.current?.value ?? startText;
  // An unchanged text keeps the exact value, including what a text area cannot show.
  const isUnchanged = (text: string) => text === initialText || text === normalizeLineEnds(initialText);
  const parse = (text: string) => {
    if (isUnchanged(text)) return { value };
    const parsed = parseInput(text, field, value, zone);
    if (!isDate || !('error' in parsed)) return parsed;
    // One typed date may have any form, because the cell shows how it was read; pasted cells may not.
    const iso = dateText?.parseDateText(text, { kind: field.isDateOnly ? 'day' : 'time', timeZone: zone });
    return iso === undefined ? parsed : parseInput(iso, field, value, zone);
  };
  const parseTyped = () => {
    const parsed = parse(getText());
    return 'value' in parsed ? parsed.value : undefined;
  };
  const accept = (parsed: ReturnType<typeof parse>, move: CommitMove) => {
    if (!('value' in parsed)) return;
    setError(undefined);
    isSettled.current = inCell;
    isDirty.current = false;
    onCommit(parsed.value, move);
  };
  const commit = (move: CommitMove) => {
    if (isSettled.current) return;
    const parsed = parse(getText());
    if ('error' in parsed) setError(parsed.error);
    accept(parsed, move);
  };
  /** The focus has left: commits a valid text, reports an invalid one. */
  const leave = () => {
    if (isSettled.current || calendarValue !== undefined) return;
    const text = getText();
    const parsed = parse(text);
    if (!('error' in parsed)) {
      accept(parsed, 'stay');
      return;
    }
    setError(parsed.error);
    if (!onInvalidInput) return;
    isSettled.current = inCell;
    isDirty.current = false;
    onInvalidInput({ text, error: parsed.error });
  };
  useOnRemove(() => {
    if (isDirty.current) leave();
  });
  const handleInput = ({ textLength }: HTMLTextAreaElement) => {
    isDirty.current = true;
    setError(undefined);
    if (isDate) setTypedValue(parseTyped());
    if (textLength > LONG_TEXT_CHARS) setLong(true);
  };
  const openCalendar = () => setCalendarValue(getText());
  const closeCalendar = () => {
    setCalendarValue(undefined);
    // In a cell the keys confirm, as after typing.
    if (!inCell && isDirty.current) commit('stay');
  };
  const chooseDate = (text: string) => {
    if (!box.current) return;
    box.current.value = text.replace('T', ' ');
    setCalendarValue(text);
    handleInput(box.current);
  };
  const handleKeyDown = (event: KeyboardEvent<HTMLTextAreaElement>) => {
    if (event.nativeEvent.isComposing) return;
    if (isDate && event.key === 'ArrowDown' && event.altKey) {
      event.preventDefault();
      openCalendar();
      return;
    }
    if (event.key === 'Escape') {
      if (!inCell && isUnchanged(event.currentTarget.value)) return;
      event.stopPropagation();
      isSettled.current = inCell;
      isDirty.current = false;
      event.currentTarget.value = initialText;
      setError(undefined);
      setTypedValue(props.isChanged ? value : undefined);
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
      handleInput(event.currentTarget);
      return;
    }
    const move = getCommitMove(event);
    if (!move) return;
    event.preventDefault();
    commit(move);
  };
  const showsShift = error === undefined && dayShift !== undefined;
  const descriptionIds = [describedBy, error !== undefined && errorId, showsShift && shiftId]
    .filter(Boolean)
    .join(' ');
  const textBox = (
    <textarea
      ref={setBox}
      id={id}
      className={cx('input ed-text', inCell && 'ed-cell', isLong && 'ed-long', isDate && 'ed-date')}
      rows={1}
      // oxlint-disable-next-line jsx-a11y/no-autofocus -- the user opened the cell to edit it
      autoFocus={inCell}
      aria-label={id === undefined ? field.name : undefined}
      aria-invalid={error !== undefined || isInvalid || undefined}
      aria-describedby={descriptionIds === '' ? undefined : descriptionIds}
      inputMode={field.fieldType === FIELD.number ? 'decimal' : undefined}
      placeholder={getPlaceholder(field, zone)}
      autoComplete="off"
      spellCheck={field.fieldType === FIELD.text && !isLong}
      defaultValue={startText}
      onFocus={({ currentTarget }) => {
        const { textLength } = currentTarget;
        if (typedText !== undefined) currentTarget.setSelectionRange(textLength, textLength);
        else if (inCell) currentTarget.select();
      }}
      onChange={({ currentTarget }) => handleInput(currentTarget)}
      onKeyDown={handleKeyDown}
      onBlur={({ currentTarget }) => {
        // Switching to another window keeps the editor open.
        if (document.activeElement !== currentTarget) leave();
      }}
    />
  );
  return (
    <>
      {isDate ? (
        <div className={cx('ed-dated', inCell && 'ed-dated-cell')}>
          {textBox}
          <Suspense>
            <CalendarButton
              kind={field.isDateOnly ? 'day' : 'time'}
              timeZone={zone}
              value={calendarValue ?? ''}
              anchor={box}
              tabIndex={inCell ? -1 : 0}
              open={calendarValue !== undefined}
              onOpenChange={(open) => (open ? openCalendar() : closeCalendar())}
              onChange={chooseDate}
            />
          </Suspense>
        </div>
      ) : (
        textBox
      )}
      {error !== undefined &&
        (inCell ? (
          <CellNote id={errorId} role="alert">
            {error}
          </CellNote>
        ) : (
          <span id={errorId} className="field-error" role="alert">
            {error}
          </span>
        ))}
      {showsShift &&
        (inCell ? (
          <CellNote id={shiftId} className="ed-shift" isPolite>
            {dayShift}
          </CellNote>
        ) : (
          <span id={shiftId} className="field-hint ed-shift" aria-live="polite">
            {dayShift}
          </span>
        ))}
    </>
  );
}

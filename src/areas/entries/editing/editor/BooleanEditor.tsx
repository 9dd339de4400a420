import { useRef, useState } from 'react';
import { cx } from '../../../../ui/cx.ts';
import { SwitchInput } from '../../../../ui/form/SwitchInput.tsx';
import { toItems } from '../../model/values.ts';
import { parseBooleanKey } from '../parse-input.ts';
import type { CommitMove, EditorProps } from './editor-props.ts';
import { getCommitMove, useOnRemove } from './editor-props.ts';

/**
 * Editor of a Boolean: a switch, in cells and in forms. In a cell Space changes it, Y and N set it, Delete removes the
 * value, and Enter and Tab confirm as in every cell.
 */
export function BooleanEditor(props: EditorProps) {
  const { field, typedText, inCell, describedBy, isInvalid = false, id, onCommit, onCancel } = props;
  const [item] = toItems(props.value);
  const stored = typeof item === 'boolean' ? item : undefined;
  const [local, setLocal] = useState(parseBooleanKey(typedText) ?? stored);
  const isSettled = useRef(false);
  // A form follows values staged or undone elsewhere; a cell keeps its own until it is left.
  const value = inCell ? local : stored;

  const commit = (next: boolean | undefined, move: CommitMove) => {
    if (isSettled.current) return;
    isSettled.current = inCell;
    onCommit(next, move);
  };
  const change = (next: boolean | undefined) => {
    setLocal(next);
    if (!inCell) commit(next, 'stay');
  };
  useOnRemove(() => {
    if (inCell && local !== stored) commit(local, 'stay');
  });
  return (
    <div className={cx('ed-switch', inCell && 'input ed-cell')}>
      <SwitchInput
        {...(id !== undefined && { id })}
        label={id === undefined ? field.name : undefined}
        {...{ describedBy, isInvalid, value }}
        // oxlint-disable-next-line jsx-a11y/no-autofocus -- the user opened the cell to edit it
        autoFocus={inCell}
        onChange={change}
        onClear={field.isRequired ? undefined : () => change(undefined)}
        onKeyDown={(event) => {
          const typed = parseBooleanKey(event.key);
          const move = inCell ? getCommitMove(event) : undefined;
          if (move) {
            event.preventDefault();
            commit(local, move);
          } else if (event.key === 'Escape' && inCell) {
            event.stopPropagation();
            isSettled.current = true;
            onCancel();
          } else if (typed !== undefined) change(typed);
          else if ((event.key === 'Delete' || event.key === 'Backspace') && !field.isRequired)
            change(undefined);
        }}
        onBlur={({ currentTarget }) => {
          // Switching to another window keeps the editor open.
          if (inCell && document.activeElement !== currentTarget) commit(local, 'stay');
        }}
      />
    </div>
  );
}

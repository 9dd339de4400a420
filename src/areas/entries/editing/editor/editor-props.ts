import type { KeyboardEvent } from 'react';
import { useLayoutEffect, useRef } from 'react';
import type { FieldValue } from '../../../../../contract/generated/types.gen.ts';
import { commitBeforeUnload } from '../../../../ui/dialog/unsaved-work.ts';
import type { Field, Schema } from '../../model/schema.ts';
import type { InvalidInput } from '../change-set.ts';

/** Focus movement after a value is committed. */
export type CommitMove = 'stay' | 'down' | 'up' | 'right' | 'left';

export interface EditorProps {
  field: Field;
  schema: Schema;
  value: FieldValue | undefined;
  /** Text typed to open the editor; it replaces the value. */
  typedText?: string | undefined;
  /** Invalid text that was left in the cell; editing continues with it. */
  invalidInput?: InvalidInput | undefined;
  /** In a grid cell the editor takes the focus, and its keys move to other cells. */
  inCell: boolean;
  /** Whether the value is not stored yet, so that warnings of it are shown before anything is typed. */
  isChanged?: boolean;
  /** Ids of elements that describe the editor, besides its own error. */
  describedBy?: string | undefined;
  isInvalid?: boolean;
  id?: string;
  onCommit: (value: FieldValue | undefined, move: CommitMove) => void;
  /** The focus left with invalid text, which must not be lost. Without this handler the text stays in the editor. */
  onInvalidInput?: ((invalidInput: InvalidInput) => void) | undefined;
  onCancel: () => void;
}

/** The focus movement after a key that commits a value, as in spreadsheets. */
export function getCommitMove({
  key,
  shiftKey,
}: Pick<KeyboardEvent, 'key' | 'shiftKey'>): CommitMove | undefined {
  if (key === 'Enter') return shiftKey ? 'up' : 'down';
  if (key === 'Tab') return shiftKey ? 'left' : 'right';
  return undefined;
}

/** Keys of an open cell, for the list of keyboard shortcuts. */
export const EDITOR_KEYS: readonly { keys: string; label: string }[] = [
  { keys: 'Enter', label: 'Confirm and move down' },
  { keys: 'Shift+Enter', label: 'Confirm and move up' },
  { keys: 'Tab', label: 'Confirm and move right' },
  { keys: 'Shift+Tab', label: 'Confirm and move left' },
  { keys: 'Alt+Enter', label: 'New line in a text' },
  { keys: '↑ ↓', label: 'Move through the options' },
  { keys: 'Esc', label: 'Discard the input' },
];

/**
 * Runs when an editor is removed while someone types: the page is left or closed, its column hidden, its row removed. The
 * browser sends no blur event in these cases.
 */
export function useOnRemove(onRemove: () => void): void {
  const latest = useRef(onRemove);
  useLayoutEffect(() => {
    latest.current = onRemove;
  });
  useLayoutEffect(() => {
    const remove = () => latest.current();
    const release = commitBeforeUnload(remove);
    return () => {
      release();
      remove();
    };
  }, []);
}

import { Suspense } from 'react';
import { FIELD, isIdField } from '../../../../../contract/rules/fields.ts';
import { lazyWithPreload } from '../../../../ui/lazy.tsx';
import { toRequestValue } from '../../model/values.ts';
import type { EditorProps } from './editor-props.ts';
import { TextEditor } from './TextEditor.tsx';
import './editor.css';

/** Loaded with the first cell that needs it: the list box is larger than the rest of the grid's first load. */
const OptionEditor = lazyWithPreload(async () => ({
  default: (await import('./OptionEditor.tsx')).OptionEditor,
}));

/** Loads the editor that is not part of the first load, when the grid or a form gets the focus. */
export const preloadEditors = OptionEditor.preload;

/** Editor of a value by its field type, in cells and in forms. */
export const Editor = (props: EditorProps) =>
  isIdField(props.field.fieldType) || props.field.fieldType === FIELD.boolean ? (
    <Suspense>
      <OptionEditor {...props} />
    </Suspense>
  ) : (
    // In forms the key remounts the editor when the staged value changes elsewhere; a cell keeps what is being typed.
    <TextEditor
      key={props.inCell ? 'cell' : JSON.stringify([toRequestValue(props.value), props.invalidInput?.text])}
      {...props}
    />
  );

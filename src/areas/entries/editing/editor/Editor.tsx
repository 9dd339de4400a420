import { FIELD, isIdField } from '../../../../../contract/rules/fields.ts';
import { toRequestValue } from '../../model/values.ts';
import type { EditorProps } from './editor-props.ts';
import { OptionEditor } from './OptionEditor.tsx';
import { TextEditor } from './TextEditor.tsx';
import './editor.css';

/** Editor of a value by its field type, in cells and in forms. */
export const Editor = (props: EditorProps) =>
  isIdField(props.field.fieldType) || props.field.fieldType === FIELD.boolean ? (
    <OptionEditor {...props} />
  ) : (
    // In forms the key remounts the editor when the staged value changes elsewhere; a cell keeps what is being typed.
    <TextEditor
      key={props.inCell ? 'cell' : JSON.stringify([toRequestValue(props.value), props.invalidInput?.text])}
      {...props}
    />
  );

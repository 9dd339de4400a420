import { FIELD, isIdField } from '../../../../contract/rules/fields.ts';
import type { FieldValue } from '../../../api/generated/types.gen.ts';
import type { Field, Schema } from '../model/schema.ts';
import type { Misfit } from './changes.ts';
import { PickEditor } from './PickEditor.tsx';
import { TextEditor } from './TextEditor.tsx';
import { writtenOf } from './written.ts';
import './editor.css';

/** Where the keyboard goes after a cell was edited. */
export type Onward = 'stay' | 'down' | 'up' | 'right' | 'left';

export interface EditorProps {
  field: Field;
  schema: Schema;
  value: FieldValue | undefined;
  /** What was typed to begin with; it takes the place of the value. */
  seed?: string | undefined;
  /** A text that was left here although it does not fit; one goes on with it. */
  misfit?: Misfit | undefined;
  /** In a cell it has the focus, and its keys lead on to other cells. */
  inCell: boolean;
  /** Of what explains it and says what is wrong, besides its own fault. */
  describedBy?: string | undefined;
  invalid?: boolean;
  id?: string;
  onCommit: (value: FieldValue | undefined, onward: Onward) => void;
  /** What was typed does not fit, and whoever typed it has gone: it is not to be lost. Without it the text stays here. */
  onMisfit?: ((misfit: Misfit) => void) | undefined;
  onCancel: () => void;
}

/** The editor of a value by its field type: the same in cells and in forms. */
export const Editor = (props: EditorProps) =>
  isIdField(props.field.fieldType) || props.field.fieldType === FIELD.boolean ? (
    <PickEditor {...props} />
  ) : (
    // A form shows what is staged also where it was undone elsewhere; a cell keeps what is being typed.
    <TextEditor
      key={props.inCell ? 'cell' : JSON.stringify([writtenOf(props.value), props.misfit?.text])}
      {...props}
    />
  );

import type { FieldValue } from '../../../api/generated/types.gen.ts';
import { CellNote } from '../editing/CellNote.tsx';
import type { Misfit } from '../editing/changes.ts';
import { Editor } from '../editing/Editor.tsx';
import type { Onward } from '../editing/Editor.tsx';
import type { Field, Schema } from '../model/schema.ts';

/** A cell of a row that is open. */
export interface RowOpen {
  column: number;
  value: FieldValue | undefined;
  seed: string | undefined;
  misfit: Misfit | undefined;
  /** Why it is not edited; then only this is told. */
  refusal: string | undefined;
  schema: Schema;
  onCommit: (value: FieldValue | undefined, onward: Onward) => void;
  onMisfit: (misfit: Misfit) => void;
  /** Escape: the focus goes back to the cell. */
  onCancel: () => void;
}

/** The editor in a cell. */
export const EditCell = ({ open, field }: { open: RowOpen; field: Field }) => (
  <div className="eg-editing">
    <Editor
      key={field.id}
      inCell
      field={field}
      schema={open.schema}
      value={open.value}
      seed={open.seed}
      misfit={open.misfit}
      onCommit={open.onCommit}
      onMisfit={open.onMisfit}
      onCancel={open.onCancel}
    />
  </div>
);

/** Why a cell is not edited, under it; a screen reader has heard it. */
export const Refusal = ({ text }: { text: string }) => (
  <CellNote className="eg-refusal" hidden>
    {text}
  </CellNote>
);
